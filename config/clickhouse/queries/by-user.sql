-- Who used how much, from one day to another (the second one left out), the most output first.
SELECT
    ifNull(user, '(unknown)') AS who,
    count() AS requests,
    sum(input_tokens) AS input,
    sum(cached_input_tokens) AS cached_input,
    sum(output_tokens) AS output,
    if(isNull(output), NULL, ifNull(sumIf(output_tokens, outcome != 'complete'), 0)) AS output_not_complete,
    round(100 * ifNull(sumIf(output_tokens, usage_source = 'estimated'), 0) / nullIf(output, 0), 2) AS estimated_percent
FROM pitot.usage FINAL
WHERE time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')
GROUP BY who
ORDER BY output DESC NULLS LAST, who;
