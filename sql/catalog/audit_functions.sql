-- Functions of the schema that are not those of this program ($1: what it declares; $2: what replaces that where Citus is).
with
declared as (
    select f.name, f.source, f.language, f.volatility, f.definer, f.strict, f.leakproof, f.parallel, f.defaults,
           array(select s.setting from jsonb_array_elements_text(f.settings) as s (setting) order by 1) as settings,
           coalesce(a.inputs, '') as inputs, coalesce(a.all, '') as arguments,
           f.many || ' ' || coalesce(format_type(to_regtype(f.returns), null), f.returns) as returns
      from jsonb_to_recordset(
               case when to_regclass('pg_catalog.pg_dist_partition') is null then $1::jsonb -> 'functions'
                    else (select jsonb_agg(f.of)
                            from jsonb_array_elements($1::jsonb -> 'functions') as f (of)
                           where not exists (select from jsonb_array_elements($2::jsonb -> 'functions') as c (of)
                                              where c.of ->> 'name' = f.of ->> 'name')) || ($2::jsonb -> 'functions')
               end) as f (
               name text, source text, language text, volatility text, definer boolean, strict boolean, leakproof boolean,
               parallel text, defaults integer, settings jsonb, arguments jsonb, returns text, many boolean)
     cross join lateral (
           select string_agg(t.type, ', ' order by e.place) filter (where e.of ->> 'mode' in ('i', 'b', 'v')) as inputs,
                  string_agg(concat_ws(' ', e.of ->> 'mode', e.of ->> 'name', t.type), ', ' order by e.place) as all
             from jsonb_array_elements(f.arguments) with ordinality as e (of, place)
            cross join lateral (
                  select coalesce(format_type(to_regtype(e.of ->> 'type'), null), e.of ->> 'type') as type) t) a
),
installed as (
    select p.proname::text as name, p.prosrc as source, l.lanname as language, p.provolatile as volatility,
           p.prosecdef as definer, p.proisstrict as strict, p.proleakproof as leakproof, p.proparallel as parallel,
           p.pronargdefaults as defaults, p.prokind = 'f' as is_function,
           array(select lower(split_part(s.setting, '=', 1)) || '='
                        || translate(substr(s.setting, strpos(s.setting, '=') + 1), '" ', '')
                   from unnest(p.proconfig) as s (setting) order by 1) as settings,
           coalesce((select string_agg(format_type(a.type, null), ', ' order by a.place)
                       from unnest(p.proargtypes) with ordinality as a (type, place)), '') as inputs,
           coalesce((select string_agg(
                                concat_ws(' ', coalesce(p.proargmodes[a.place::integer], 'i'), nullif(p.proargnames[a.place::integer], ''),
                                          format_type(a.type, null)), ', ' order by a.place)
                       from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as a (type, place)),
                    '') as arguments,
           p.proretset || ' ' || format_type(p.prorettype, null) as returns,
           p.proowner = n.nspowner as is_owners, pg_get_userbyid(p.proowner) as owner
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      join pg_language l on l.oid = p.prolang
     where n.nspname = 'usher'
)
select 'function' as problem, null::uuid as operation,
       format('usher.%s(%s) ', coalesce(i.name, d.name), coalesce(i.inputs, d.inputs))
           || case when i.name is null then 'is gone'
                   when d.name is null then 'is none of this program''s'
                   else 'is not this program''s: ' || array_to_string(v.differences, ', ') end as detail
  from declared d
  full join installed i on i.name = d.name and i.inputs = d.inputs
 cross join lateral (
       select array_remove(array[
           case when i.source <> d.source then 'its source' end,
           case when i.language <> d.language then 'its language' end,
           case when i.definer <> d.definer then 'whose rights it has' end,
           case when i.settings <> d.settings then 'its settings' end,
           case when i.volatility::text <> d.volatility then 'its volatility' end,
           case when i.arguments <> d.arguments or i.defaults <> d.defaults then 'its arguments' end,
           case when i.returns <> d.returns or not i.is_function then 'its result' end,
           case when i.strict <> d.strict or i.leakproof <> d.leakproof or i.parallel::text <> d.parallel
                then 'its properties' end], null) as differences) v
 where i.name is null or d.name is null or v.differences <> '{}'
 union all
select 'owner', null, format('usher.%s(%s) belongs to %s, who is not the owner of the schema', i.name, i.inputs, i.owner)
  from installed i
 where not i.is_owners
