-- The same by model and the upstream that served it.
SELECT
    ifNull(upstream, '(none)') AS served_by,
    ifNull(model, '(unknown)') AS which,
    count() AS requests,
    uniqExact(user) AS users,
    sum(input_tokens) AS input,
    sum(cached_input_tokens) AS cached_input,
    sum(output_tokens) AS output,
    sum(reasoning_tokens) AS reasoning,
    round(100 * ifNull(sumIf(output_tokens, usage_source = 'estimated'), 0) / nullIf(output, 0), 2) AS estimated_percent
FROM pitot.usage FINAL
WHERE time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')
GROUP BY served_by, which
ORDER BY output DESC NULLS LAST, served_by, which;
