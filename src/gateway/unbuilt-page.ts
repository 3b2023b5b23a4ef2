/** Served at `/` where the live page was not built; to anyone, so it holds no data: it says what answers here, and where to look. */
export const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Pitot</title>
</head>
<body>
<h1>Pitot</h1>
<p>A flow meter for LLM inference. This is its admin port; clients connect to the data port.</p>
<p>The live page is not built here: this runs from the sources. <code>npm run build</code> builds it.</p>
<ul>
<li><a href="/metrics">/metrics</a> for Prometheus</li>
<li><a href="/api/snapshot">/api/snapshot</a>: what happens now, as JSON</li>
<li><a href="/readyz">/readyz</a> and <a href="/healthz">/healthz</a> for orchestrators</li>
</ul>
<p>Where a token is configured, the first two want it as <code>Authorization: Bearer TOKEN</code>.</p>
</body>
</html>
`;
