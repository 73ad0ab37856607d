-- Triggers on tables of the schema that are not those of this program ($1: what it declares).
with
declared as (
    select t.*
      from jsonb_to_recordset($1::jsonb -> 'triggers') as t (
               "table" text, name text, function text, type integer, enabled text, "constraint" boolean,
               "deferrable" boolean, "deferred" boolean, conditional boolean)
),
installed as (
    select c.relname as "table", t.tgname as name, f.nspname || '.' || p.proname as function, t.tgtype as type,
           t.tgenabled as enabled, t.tgconstraint <> 0 as "constraint", t.tgdeferrable as "deferrable",
           t.tginitdeferred as "deferred", t.tgqual is not null or t.tgattr::text <> '' or t.tgnargs > 0 as conditional
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      join pg_namespace n on n.oid = c.relnamespace
      join pg_proc p on p.oid = t.tgfoid
      join pg_namespace f on f.oid = p.pronamespace
     where n.nspname = 'usher' and not t.tgisinternal
)
select 'trigger' as problem, null::uuid as operation,
       format('the trigger %s on usher.%s is ', coalesce(i.name, d.name), coalesce(i."table", d."table"))
           || case when i.name is null then 'gone'
                   when d.name is null then 'none of this program''s'
                   when i.enabled::text <> d.enabled
                   then case i.enabled when 'D' then 'disabled' else 'enabled for other sessions than it should be' end
                   else 'not as this program makes it' end as detail
  from declared d
  full join installed i on i."table" = d."table" and i.name = d.name
 where i.name is null or d.name is null or i.enabled::text <> d.enabled
    or (i.function, i.type, i."constraint", i."deferrable", i."deferred", i.conditional)
       is distinct from (d.function, d.type, d."constraint", d."deferrable", d."deferred", d.conditional)
