-- Pitot's usage records in ClickHouse: one row for each request, every field of the record (CONTRACT 8), in its order.
-- A contract test compares. Unknown is NULL and never 0, so sums leave it out.
--
-- Shippers deliver at least once. Rows of the same record have the same time and id, and ReplacingMergeTree keeps one
-- of them. Until it has merged, FINAL does so in the query.
CREATE DATABASE IF NOT EXISTS pitot;

CREATE TABLE IF NOT EXISTS pitot.usage
(
    time DateTime64(3, 'UTC'),
    started_at DateTime64(3, 'UTC'),
    id String,
    request_id Nullable(String),
    upstream_request_id Nullable(String),
    trace_id Nullable(String),
    user Nullable(String),
    upstream LowCardinality(Nullable(String)),
    model LowCardinality(Nullable(String)),
    requested_model Nullable(String),
    api LowCardinality(String),
    workload LowCardinality(String),
    method LowCardinality(String),
    path String,
    stream Bool,
    status UInt16,
    outcome LowCardinality(String),
    finish_reason LowCardinality(Nullable(String)),
    error LowCardinality(Nullable(String)),
    input_tokens Nullable(UInt64),
    cached_input_tokens Nullable(UInt64),
    cache_write_input_tokens Nullable(UInt64),
    output_tokens Nullable(UInt64),
    reasoning_tokens Nullable(UInt64),
    usage_source LowCardinality(String),
    choices Nullable(UInt32),
    output_characters Nullable(UInt64),
    chunks Nullable(UInt64),
    request_bytes UInt64,
    response_bytes UInt64,
    ttfb_ms Nullable(Float64),
    ttft_ms Nullable(Float64),
    ttfa_ms Nullable(Float64),
    tpot_ms Nullable(Float64),
    decode_ms Nullable(Float64),
    longest_gap_ms Nullable(Float64),
    e2e_ms Float64,
    upload_ms Nullable(Float64),
    client_blocked_ms Float64,
    user_speed_tokens_per_second Nullable(Float64),
    end_to_end_speed_tokens_per_second Nullable(Float64),
    characters_per_second Nullable(Float64),
    concurrency_at_start Nullable(UInt32),
    slo Map(LowCardinality(String), Bool),
    server_timings Tuple(
        queue_ms Nullable(Float64),
        prefill_ms Nullable(Float64),
        decode_ms Nullable(Float64),
        total_ms Nullable(Float64)
    ),
    worker UInt16,
    instance LowCardinality(String)
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (time, id)
-- Records name users: keep them no longer than you may.
TTL toDateTime(time) + INTERVAL 13 MONTH;

-- What an API would ask for the same tokens, in dollars per million: `reference_price` of Pitot's configuration, by the
-- name of the model and from a day on. Where cached_input is NULL, cached input costs what input does.
CREATE TABLE IF NOT EXISTS pitot.reference_prices
(
    model String,
    valid_from Date,
    input Float64,
    cached_input Nullable(Float64),
    output Float64
)
ENGINE = ReplacingMergeTree
ORDER BY (model, valid_from);
