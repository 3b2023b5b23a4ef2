-- What the same tokens would have cost at the reference price that held on their day, by user and model, in dollars:
-- input that was not cached, cached input, and output, each at its own price. Not what your GPUs cost: that is
-- pitot_gpu_cost_dollars_total. Tokens of a model without a price are in `unpriced_tokens`, and in no sum of dollars.
SELECT
    ifNull(used.user, '(unknown)') AS who,
    ifNull(used.model, '(unknown)') AS which,
    sum(used.uncached) AS input_uncached,
    sum(used.cached) AS input_cached,
    sum(used.output) AS output,
    round(sum(used.uncached * price.input
        + used.cached * ifNull(price.cached_input, price.input)
        + used.output * price.output) / 1e6, 6) AS dollars,
    sumIf(used.uncached + used.cached + used.output, price.input IS NULL) AS unpriced_tokens
FROM
(
    SELECT
        user,
        toString(model) AS model,
        toDate(time, 'UTC') AS day,
        least(ifNull(cached_input_tokens, 0), ifNull(input_tokens, 0)) AS cached,
        ifNull(input_tokens, 0) - cached AS uncached,
        ifNull(output_tokens, 0) AS output
    FROM pitot.usage FINAL
    WHERE time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')
) AS used
ASOF LEFT JOIN
(
    SELECT model, valid_from, input, cached_input, output FROM pitot.reference_prices FINAL
) AS price ON used.model = price.model AND used.day >= price.valid_from
GROUP BY who, which
HAVING input_uncached + input_cached + output > 0
ORDER BY dollars DESC NULLS LAST, who, which
SETTINGS join_use_nulls = 1;
