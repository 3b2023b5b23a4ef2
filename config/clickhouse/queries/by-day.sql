-- The course: what each day of UTC brought, with how many users, and what came of it.
SELECT
    toDate(time, 'UTC') AS day,
    count() AS requests,
    uniqExact(user) AS users,
    sum(input_tokens) AS input,
    sum(output_tokens) AS output,
    round(100 * countIf(outcome = 'complete') / count(), 2) AS complete_percent,
    round(100 * ifNull(sumIf(output_tokens, outcome != 'complete'), 0) / nullIf(output, 0), 2) AS wasted_percent
FROM pitot.usage FINAL
WHERE time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')
GROUP BY day
ORDER BY day;
