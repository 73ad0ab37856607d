-- One pass over the statements of an act, for all subjects at once or one by one: what the server counted meanwhile, which
-- row versions the statements say they wrote, and what is said of single subjects, each of which finds what the ones before
-- it left.
create or replace function usher.pass(
    app jsonb, act jsonb, relations jsonb, keys text[], at timestamptz, arguments jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    before constant jsonb := usher.counters();
    deferred constant text := usher.deferred();
    counters jsonb;
    objections jsonb := '[]';
    warnings jsonb := '[]';
    done record;
    unit text;
    judgement jsonb;
begin
    select '{}'::text[] as tables, '{}'::text[] as places, '{}'::jsonb as told, '{}'::jsonb as overwritten into done;
    if act ->> 'each' is null then
        select s.* into done
          from usher.steps(app, act, relations, deferred, pass.keys, at, arguments, done.tables, done.places, done.told, done.overwritten) s;
    else
        for unit in execute act ->> 'each' using at, pass.keys, arguments loop
            begin
                judgement := usher.judged(act, array[unit], at, arguments);
                if judgement -> 'refused' = '{}' then
                    select s.* into done
                      from usher.steps(app, act, relations, deferred, array[unit], at, arguments, done.tables, done.places, done.told, done.overwritten) s;
                    warnings := warnings || (judgement -> 'warnings');
                else
                    objections := objections || (judgement -> 'refused' -> unit);
                end if;
            exception when sqlstate 'UA005' then
                objections := objections || jsonb_build_object('key', unit, 'error', sqlerrm::jsonb);
            end;
        end loop;
    end if;
    counters := usher.counters();
    if counters -> 'tables' <> before -> 'tables' then perform usher.refuse_remade(); end if;
    perform usher.refuse_strange(before -> 'servers', counters -> 'servers');
    return jsonb_build_object(
        'elsewhere', counters -> 'elsewhere',
        'objections', objections, 'warnings', warnings, 'told', done.told, 'overwritten', done.overwritten,
        'places', (select coalesce(jsonb_object_agg(p.relation, p.places), '{}')
                     from (select t.relation, jsonb_agg(case when t.relation = w.partition then w.place else w.place || ' ' || w.partition end) as places
                             from unnest(done.tables, done.places) as w (partition, place)
                             join (select p.relation::text as partition, p.counted::text as relation
                                     from usher.counted_as(array(select distinct p.oid::oid from unnest(done.tables) p (oid))) p) t using (partition)
                            group by 1) p),
        'counts', (select coalesce(jsonb_object_agg(d.relation, d.counts) filter (where d.counts <> '[0, 0, 0]'), '{}')
                     from (select n.key as relation,
                                  (select jsonb_agg((x.value #>> '{}')::bigint - coalesce((b.value #>> '{}')::bigint, 0) order by x.place)
                                     from jsonb_array_elements(n.value) with ordinality as x (value, place)
                                     left join jsonb_array_elements(before -> 'counts' -> n.key) with ordinality as b (value, place)
                                       on b.place = x.place) as counts
                             from jsonb_each(counters -> 'counts') n) d));
end
$$;
