import { createHash } from 'node:crypto';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:4rem auto;max-width:36rem;padding:0 1rem;color-scheme:light dark}';

/** Served at `/` to anyone, so it holds no data: it says what answers here, and where to look. */
export const ADMIN_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pitot</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Pitot</h1>
<p>A flow meter for LLM inference. This is its admin port; clients connect to the data port.</p>
<ul>
<li><a href="/metrics">/metrics</a> for Prometheus</li>
<li><a href="/api/snapshot">/api/snapshot</a>: what happens now, as JSON</li>
<li><a href="/readyz">/readyz</a> and <a href="/healthz">/healthz</a> for orchestrators</li>
</ul>
<p>Where a token is configured, the first two want it as <code>Authorization: Bearer TOKEN</code>.</p>
</body>
</html>
`;

/** Nothing may be loaded or run but the one style above. */
export const ADMIN_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
