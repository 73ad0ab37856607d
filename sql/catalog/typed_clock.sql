-- The instant at which clocks show a time ($1) when they are so many seconds ahead of UTC ($2).
select (t.utc at time zone 'UTC')::text as instant, t.utc::text as utc
  from (select $1::timestamp - make_interval(secs => $2::double precision) as utc) t
