-- How far the counts can be trusted: output tokens by where their count comes from. `reported` and `partial` are the
-- upstream's own, `estimated` is Pitot's, `none` are requests of which nothing was counted.
SELECT
    ifNull(upstream, '(none)') AS served_by,
    ifNull(model, '(unknown)') AS which,
    usage_source,
    count() AS requests,
    sum(output_tokens) AS output,
    round(100 * output / nullIf(sum(output) OVER (PARTITION BY served_by, which), 0), 2) AS percent_of_output
FROM pitot.usage FINAL
WHERE time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')
GROUP BY served_by, which, usage_source
ORDER BY served_by, which, usage_source;
