-- The day that a text ($1) names where clocks are set in one way ($2).
with typed as materialized (select (left(set_config('TimeZone', $2, true), 0) || $1)::date as day)
select typed.day::text as day, set_config('TimeZone', 'UTC', true) as zone from typed
