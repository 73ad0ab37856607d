-- What a text ($1) says as a time, and whether that is only what clocks show: the text is read where they are set in one
-- way ($2) and in another ($3), and means the same instant in both when it names its zone itself.
with typed as materialized (
    select (left(set_config('TimeZone', $2, true), 0) || $1)::timestamptz as here,
           (left(set_config('TimeZone', $2, true), 0) || $1)::timestamp as clock,
           (left(set_config('TimeZone', $3, true), 0) || $1)::timestamptz as elsewhere
),
read as materialized (select typed.*, set_config('TimeZone', 'UTC', true) as zone from typed)
select read.here <> read.elsewhere as is_clock,
       read.clock::text as clock,
       case when read.here <> read.elsewhere then floor(extract(epoch from read.clock))::bigint end as second,
       read.here::text as instant,
       (read.here at time zone 'UTC')::text as utc
  from read
