-- Every column of some tables ($1) that could be read as keys of another and that no foreign key explains, beside each
-- parent that its name or the foreign keys of its namesakes speak for, with what speaks for it; the words ($3) and their
-- senses ($4) come from the lexicon. Words for people mean the root ($2), unless another table is called like the users of
-- an app. Of types that are no keys elsewhere, those of the root's own ($5) are. A column of which nothing speaks stands once.
with recursive lexicon as materialized (
       select l.word, l.sense from unnest($3::text[], $4::text[]) as l (word, sense)
), types as materialized (
       select l.word from lexicon l where l.sense = 'type'
), plurals as materialized (
       select l.word, substring(l.sense from '^plural of (.+)$') as form from lexicon l where l.sense like 'plural of %'
), domains (type, base) as (
       select t.oid, t.typbasetype from pg_type t where t.typtype = 'd'
        union all
       select d.type, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
       -- What a domain stands for, however many others lie between.
       select d.type, d.base from domains d join pg_type t on t.oid = d.base where t.typtype <> 'd'
), kinds as materialized (
       -- How values of a type can be compared with keys: numbers with numbers, texts with what can be written.
       select t.oid, format_type(coalesce(e.oid, b.oid), -1) as type, e.oid is not null as is_list,
              case when coalesce(e.oid, b.oid) in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype,
                                                   'float4'::regtype, 'float8'::regtype, 'oid'::regtype) then 'number'
                   when coalesce(e.oid, b.oid) = 'uuid'::regtype then 'uuid'
                   when coalesce(e.oid, b.oid) in ('json'::regtype, 'jsonb'::regtype, 'xml'::regtype, 'tsvector'::regtype,
                                                   'jsonpath'::regtype)
                        or coalesce(e.typname, b.typname) in ('hstore', 'ltree')
                        or coalesce(e.typcategory, b.typcategory) = 'C' then 'document'
                   when coalesce(e.typcategory, b.typcategory) = 'S' and coalesce(e.typtype, b.typtype) = 'b' then 'text'
                   when coalesce(e.oid, b.oid) = 'bytea'::regtype then 'bytes'
                   when format_type(coalesce(e.oid, b.oid), -1) = $5 then 'same'
                   when coalesce(e.typtype, b.typtype) = 'e' then 'word' end as kind
         from pg_type t
         left join bases d on d.type = t.oid
         join pg_type b on b.oid = coalesce(d.base, t.oid)
         left join bases f on f.type = b.typelem
         left join pg_type e on e.oid = coalesce(f.base, b.typelem) and b.typcategory = 'A' and b.typsubscript <> 'raw_array_subscript_handler'::regproc
        where t.oid in (select a.atttypid from pg_attribute a where a.attrelid = any ($1::oid[]) and a.attnum > 0)
), endings as materialized (
       select l.word, coalesce(substring(l.sense from '^plural end (.+)$'), '') as form from lexicon l where l.sense like 'plural end%'
), tables as materialized (
       select c.oid, w.words, cardinality(w.words) as width,
              -- The last word as one of several might be called.
              array(select distinct f.form
                      from (select w.words[cardinality(w.words)] as last) x
                     cross join lateral (select x.last
                                          union all
                                         select left(x.last, -length(e.word)) || e.form from endings e where x.last like '_%' || e.word
                                          union all
                                         select p.form from plurals p where p.word = x.last) as f (form)
                     where f.form <> '') as lasts
         from pg_class c
        cross join lateral (select array_remove(string_to_array(
                                     case when c.relname ~ '^[a-z0-9_]+$' then c.relname
                                          else regexp_replace(lower(regexp_replace(regexp_replace(
                                                   c.relname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'),
                                                   '([[:upper:]]+)([[:upper:]][[:lower:]])', '\1_\2', 'g')), '[^[:alnum:]]+', '_', 'g')
                                     end, '_'), '') as words offset 0) w
        where c.oid = any ($1::oid[])
), forms as materialized (
       -- What a table may be called: by its whole name, and by how it ends.
       select t.oid, array_to_string(t.words[s.start:t.width - 1] || f.form, '_') as form, s.start = 1 as is_whole
         from tables t
        cross join lateral generate_series(1, t.width) as s (start)
        cross join lateral unnest(t.lasts) as f (form)
), cuts as materialized (
       -- What one may be called of several, in a language whose endings nobody listed: without the last letters of the table's name.
       select t.oid, array_to_string(t.words[:t.width - 1] || left(t.words[t.width], -n.letters), '_') as form
         from tables t
        cross join generate_series(1, 2) as n (letters)
        where t.width > 0 and length(t.words[t.width]) - n.letters > 3
          and not exists (select from endings e where t.words[t.width] like '_%' || e.word)
          and t.words[t.width] not in (select p.word from plurals p)
), names as materialized (
       select f.form, bool_or(f.is_whole) as is_whole, count(distinct f.oid) as tables,
              -- The only table that is called so whole.
              case when min(f.oid) filter (where f.is_whole) = max(f.oid) filter (where f.is_whole)
                   then min(f.oid) filter (where f.is_whole) end as owner
         from forms f
        group by f.form
), root as materialized (
       -- The tables whose rows words for people mean.
       select coalesce(o.oid, $2::oid) as oid
         from (select) x
         left join lateral (select f.oid
                              from forms f
                              join lexicon l on l.word = f.form and l.sense = 'user'
                             where f.is_whole
                             order by f.oid = $2 desc, f.oid
                             limit 1) o on true
), peopled as materialized (
       -- What a user may be called.
       select l.word from lexicon l where l.sense in ('person', 'role')
        union
       select f.form from forms f join root r using (oid) where f.is_whole
        union
       select c.form from cuts c join root r using (oid)
), keys as materialized (
       -- What identifies a row of a table by itself, the primary key first.
       select i.indrelid as oid, a.attname, lower(a.attname) as name, k.kind, k.type,
              row_number() over (partition by i.indrelid, k.kind order by i.indisprimary desc, a.attnotnull desc, i.indexrelid) as rank,
              bool_or(i.indisprimary) over (partition by i.indrelid, a.attnum) as is_primary
         from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         join kinds k on k.oid = a.atttypid and k.kind in ('number', 'uuid', 'text', 'bytes') and not k.is_list
        where i.indisunique and i.indisvalid and i.indnkeyatts = 1 and i.indpred is null and i.indkey[0] > 0
          and i.indrelid = any ($1::oid[])
), enforced as materialized (
       -- Foreign keys of one column.
       select k.conrelid, k.conkey[1] as number, k.confrelid, p.attname as parent_column, w.name
         from pg_constraint k
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
         join pg_attribute p on p.attrelid = k.confrelid and p.attnum = k.confkey[1]
        cross join lateral (select array_to_string(array_remove(string_to_array(
                                     case when a.attname ~ '^[a-z0-9_]+$' then a.attname
                                          else regexp_replace(lower(regexp_replace(regexp_replace(
                                                   a.attname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'),
                                                   '([[:upper:]]+)([[:upper:]][[:lower:]])', '\1_\2', 'g')), '[^[:alnum:]]+', '_', 'g')
                                     end, '_'), ''), '_') as name offset 0) w
        where k.contype = 'f' and cardinality(k.conkey) = 1 and k.conrelid = any ($1::oid[])
), namesakes as materialized (
       -- Where the columns of a name refer to that have a key.
       select e.name, e.confrelid, e.parent_column, count(*) as hits, sum(count(*)) over (partition by e.name) as total
         from enforced e
        group by 1, 2, 3
), referring as materialized (
       -- The columns of foreign keys, and whether one explains what stands there: what it leaves as it is when it sets others of
       -- its columns holds what it did. Before 15 there is no confdelsetcols, and the name is looked for inside first.
       select p.conrelid, c.number,
              bool_or(p.confdeltype not in ('n', 'd') or coalesce(cardinality(p.confdelsetcols), 0) = 0
                      or c.number = any (p.confdelsetcols)) as is_explained
         from (select null::int2[] as confdelsetcols) as earlier
        cross join lateral (select p.conrelid, p.conkey, p.confdeltype, confdelsetcols
                              from pg_constraint p
                             where p.contype = 'f' and p.conrelid = any ($1::oid[])) p
        cross join lateral unnest(p.conkey) as c (number)
        group by 1, 2
), columns as materialized (
       select a.attrelid, a.attnum, a.attname, array_to_string(w.words, '_') as name, k.kind, k.type, k.is_list,
              a.attnotnull or d.typnotnull as is_required, a.attgenerated <> '' as is_generated,
              a.attidentity <> '' or a.atthasdef and (o.is_own_key or coalesce(n.is_counted, false)) as is_made_up,
              has_schema_privilege(c.relnamespace, 'usage') and has_column_privilege(a.attrelid, a.attnum, 'select') as readable,
              has_column_privilege(c.oid, 'xmin', 'select') as dated,
              -- What is written out at length stands elsewhere.
              case when k.type = 'bytea' then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)) / 8192, 0) else 0 end as aside,
              w.words, case when s.is_key then w.words[:cardinality(w.words) - 1] else w.words end as stem,
              s.is_key, l.deed, s.is_key or l.deed or k.kind = 'uuid' as has_suffix,
              r.number is not null as is_left, o.is_own_key
         from pg_attribute a
         join pg_class c on c.oid = a.attrelid
         join kinds k on k.oid = a.atttypid and k.kind is not null
         join pg_type d on d.oid = a.atttypid
         left join referring r on r.conrelid = a.attrelid and r.number = a.attnum
        cross join lateral (select exists (select from pg_constraint p
                                            where p.conrelid = a.attrelid and p.contype = 'p' and p.conkey = array[a.attnum])
                                   as is_own_key) o
        -- A default may as well be a value that means somebody.
         left join lateral (select pg_get_expr(f.adbin, f.adrelid) like '%nextval(%' as is_counted
                              from pg_attrdef f
                             where k.kind = 'number' and f.adrelid = a.attrelid and f.adnum = a.attnum) n on true
        cross join lateral (select array_remove(string_to_array(
                                     case when a.attname ~ '^[a-z0-9_]+$' then a.attname
                                          else regexp_replace(lower(regexp_replace(regexp_replace(
                                                   a.attname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'),
                                                   '([[:upper:]]+)([[:upper:]][[:lower:]])', '\1_\2', 'g')), '[^[:alnum:]]+', '_', 'g')
                                     end, '_'), '') as words offset 0) w
        cross join lateral (select cardinality(w.words) > 1
                                   and (w.words[cardinality(w.words)] in (select l.word from lexicon l where l.sense = 'key')
                                        or w.words[cardinality(w.words)] in (select l.word from lexicon l where l.sense = 'numbered')
                                           and w.words[cardinality(w.words) - 1] in (select p.word from peopled p)) as is_key) s
        cross join lateral (select cardinality(w.words) > 1
                                   and (w.words[cardinality(w.words)] in (select l.word from lexicon l where l.sense = 'deed')
                                        or s.is_key and cardinality(w.words) > 2
                                           and w.words[cardinality(w.words) - 1] in (select l.word from lexicon l where l.sense = 'deed'))
                                   as deed) l
        where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
          and r.is_explained is not true
          -- What belongs to an extension and nobody may read holds no rows of the app.
          and (has_column_privilege(a.attrelid, a.attnum, 'select')
               or not exists (select from pg_depend e
                               where e.classid = 'pg_class'::regclass and e.objid = a.attrelid and e.deptype = 'e'))
), beside as materialized (
       -- What says of which table the key in the column beside it is: its name, and of what.
       -- Or a text that is called like the key without its end, if its values say so.
       select distinct on (a.attrelid, w.stem) a.attrelid, a.attname, w.stem, w.supposed,
              has_column_privilege(a.attrelid, a.attnum, 'select') as readable
         from pg_attribute a
         join pg_type t on t.oid = a.atttypid and t.typcategory in ('S', 'E')
        cross join lateral (select case when a.attname ~ '^[a-z0-9_]+$' then a.attname::text
                                        else lower(regexp_replace(a.attname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'))
                                   end as name offset 0) n
        cross join lateral (select left(n.name, -1 - length(l.word)) as stem, false as supposed
                              from types l
                             where n.name like '%\_' || l.word
                             union all
                            select n.name, true) w
        where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
        order by 1, 3, w.supposed, a.attnum
), typing as materialized (
       select k.attrelid, k.attnum, k.attname, w.word,
              substring(lower(k.attname) from '^(.*?)_?(?:content_|object_)?' || w.word || '_id$') as stem
         from pg_attribute k
         join types w on right(lower(k.attname), length(w.word) + 3) = w.word || '_id'
        where k.attrelid = any ($1::oid[]) and k.attnum > 0 and not k.attisdropped
), lists as materialized (
       -- A reference to a row of a list of tables, beside the key of a row of one of those; not every one has a foreign key.
       select distinct on (c.attrelid, c.attnum) c.attrelid, c.attnum, k.attname, f.list, e.attname as key,
              array(select b.attname
                      from pg_attribute b
                      join pg_type t on t.oid = b.atttypid and t.typcategory = 'S'
                     where b.attrelid = f.list and b.attnum > 0 and not b.attisdropped
                     order by b.attnum) as texts,
              has_column_privilege(k.attrelid, k.attnum, 'select') and has_table_privilege(f.list, 'select') as readable
         from typing k
         join columns c on c.attrelid = k.attrelid
                       and k.stem = array_to_string(case when c.stem[cardinality(c.stem)] = 'object'
                                                         then c.stem[:cardinality(c.stem) - 1] else c.stem end, '_')
         join lateral (select f.confrelid as list, f.confkey[1] as key
                         from pg_constraint f
                        where f.conrelid = k.attrelid and f.contype = 'f' and f.conkey = array[k.attnum]
                        union all
                       select f.oid, i.indkey[0]
                         from forms f
                         join pg_index i on i.indrelid = f.oid and i.indisprimary and i.indnkeyatts = 1
                        where f.is_whole and f.form = substring(lower(k.attname) from '((?:content|object)_' || k.word || ')_id$')
                        limit 1) f on true
         join pg_attribute e on e.attrelid = f.list and e.attnum = f.key
        where c.is_key and not c.is_list and k.attnum <> c.attnum and c.kind in ('number', 'uuid', 'text')
        order by c.attrelid, c.attnum, length(k.attname) desc
), oneword as materialized (
       select c.attrelid, c.attnum, regexp_replace(c.name, k.ending, '') as stem
         from columns c
        cross join (select l.sense, '(' || string_agg(l.word, '|') || ')$' as ending
                      from lexicon l
                     where l.sense in ('key', 'numbered')
                     group by 1) k
        where cardinality(c.words) = 1 and c.name ~ k.ending
          and (k.sense = 'key' or regexp_replace(c.name, k.ending, '') in (select p.word from peopled p))
), stems as materialized (
       -- The ends of what a column is called, the longest first; lists speak of several, and what a thing of somebody else's is
       -- called says nothing at its end.
       select c.attrelid, c.attnum, array_to_string(c.stem[s.start:], '_') as stem, s.start
         from columns c
        cross join lateral generate_series(1, cardinality(c.stem)) as s (start)
        where c.kind <> 'document'
          and (s.start = 1 or c.stem[1] not in (select l.word from lexicon l where l.sense = 'foreign'))
        union
       select c.attrelid, c.attnum, substring(array_to_string(c.stem[s.start:], '_') from '^(.+)s$'), s.start
         from columns c
        cross join lateral generate_series(1, cardinality(c.stem)) as s (start)
        where c.kind <> 'document' and c.is_list
        union
       -- Written as one word: orderid.
       select o.attrelid, o.attnum, n.form, 1
         from oneword o
         join names n on n.form = o.stem and n.is_whole
), tails as materialized (
       -- What the names of references end with.
       select c.attrelid, c.attnum, array_to_string(c.words[s.start:], '_') as name
         from columns c
        cross join lateral generate_series(2, cardinality(c.words)) as s (start)
        where c.is_key
), meant as materialized (
       -- The longest end by which some table is called, not its own: by its whole name rather than by a part of one.
       select distinct on (s.attrelid, s.attnum) s.attrelid, s.attnum, s.stem, n.is_whole, n.tables, s.start
         from stems s
         join names n on n.form = s.stem
        where (n.is_whole and s.start = 1 and n.owner = s.attrelid) is not true
        order by s.attrelid, s.attnum, n.is_whole desc, s.start
), people as materialized (
       -- A user's own row speaks of others by what they are to it.
       select distinct s.attrelid, s.attnum
         from stems s
         join columns c using (attrelid, attnum)
         join lexicon l on l.word = s.stem and (l.sense = 'role' or l.sense = 'person' and s.attrelid <> $2)
        -- Whether somebody is one names nobody.
        where c.words[1] not in (select l.word from lexicon l where l.sense = 'flag')
), spoken as materialized (
       select m.attrelid, m.attnum, f.oid as parent,
              case when m.is_whole and m.start = 1 then 'table'
                   when m.is_whole then 'table_end' else 'table_part' end as evidence,
              case when m.is_whole then case when c.has_suffix or cardinality(c.words) = 1 and m.stem <> c.name then 3 else 2 end
                   when m.tables = 1 and c.has_suffix then 2 else 1 end as points
         from meant m
         join forms f on f.form = m.stem and f.is_whole = m.is_whole
         join columns c using (attrelid, attnum)
        -- Its own key names no row but its own, nor does what is called like its own table.
        where not (f.oid = m.attrelid and (c.is_own_key or m.is_whole and m.start = 1))
        union all
       -- A word for people means the root, unless a table is called so.
       select c.attrelid, c.attnum, r.oid, 'people', case when c.has_suffix then 3 else 2 end
         from columns c
        cross join root r
         left join people p using (attrelid, attnum)
         left join meant m on m.attrelid = c.attrelid and m.attnum = c.attnum and m.is_whole
        where c.kind <> 'document' and (c.deed or p.attnum is not null) and m.attnum is null
        union all
       -- One of several, by the only table that could be called so.
       select s.attrelid, s.attnum, min(u.oid), 'table_stem', 3
         from (select c.attrelid, c.attnum, array_to_string(c.stem, '_') as stem from columns c where c.is_key and c.kind <> 'document'
                union all
               select o.attrelid, o.attnum, o.stem from oneword o) s
         join cuts u on u.form = s.stem
        where u.oid <> s.attrelid
          and not exists (select from meant m where m.attrelid = s.attrelid and m.attnum = s.attnum and m.is_whole)
          and not exists (select from people p where p.attrelid = s.attrelid and p.attnum = s.attnum)
        group by s.attrelid, s.attnum
       having count(distinct u.oid) = 1
        union all
       -- A number that is called like the table, which is called like several, is how many there are.
       select m.attrelid, m.attnum, t.oid, 'several', -1
         from meant m
         join columns c using (attrelid, attnum)
         join tables t on m.stem = array_to_string(t.words, '_') and cardinality(t.lasts) > 1
        where m.is_whole and m.start = 1 and c.kind = 'number' and not c.is_list and not c.has_suffix
        union all
       -- Another row of its own table.
       select c.attrelid, c.attnum, c.attrelid, 'own_table', case when c.has_suffix then 3 else 1 end
         from columns c
         join lexicon l on l.sense = 'own' and l.word = array_to_string(c.stem, '_')
        where c.kind <> 'document'
          -- What another row once was had that one's parent.
          and not exists (select from tables t join lexicon r on r.sense = 'record'
                           where t.oid = c.attrelid and r.word = any (t.lasts))
          and not exists (select from meant m where m.attrelid = c.attrelid and m.attnum = c.attnum and m.is_whole)
        union all
       select c.attrelid, c.attnum, n.confrelid, 'namesakes',
              case when n.hits = n.total then 3 else 2 end
         from columns c
         join namesakes n on n.name = c.name and n.hits >= 0.8 * n.total
        where c.kind <> 'document' and not (c.is_own_key and c.name = 'id')
        union all
       select c.attrelid, c.attnum, n.confrelid, 'namesakes_end', 2
         from tails t
         join columns c using (attrelid, attnum)
         join namesakes n on n.name = t.name and n.hits = n.total
        where c.kind <> 'document' and c.is_key
          and n.name not in (select l.word from lexicon l where l.sense = 'key')
          and c.stem[1] not in (select l.word from lexicon l where l.sense = 'foreign')
          and not exists (select from meant m where m.attrelid = c.attrelid and m.attnum = c.attnum and m.is_whole)
        union all
       select s.attrelid, s.attnum, s.parent, 'quantity', -3
         from (select distinct m.attrelid, m.attnum, f.oid as parent
                 from meant m join forms f on f.form = m.stem) s
         join columns c using (attrelid, attnum)
        where not c.has_suffix and c.kind = 'number'
          and c.words[cardinality(c.words)] in (select l.word from lexicon l where l.sense = 'quantity')
), halves as (
       -- Where a table says in no other way whose its rows are, and each may be of one user, its own key may be that one's.
       select c.attrelid, c.attnum, $2::oid as parent, 'half' as evidence, 2 as points
         from columns c
         join tables t on t.oid = c.attrelid
        where c.is_own_key and not c.is_made_up and c.attrelid <> $2
          and case t.width when 1 then t.lasts && array(select l.word from lexicon l where l.sense = 'half')
                   when 2 then t.lasts && array(select l.word from lexicon l where l.sense in ('half', 'aside'))
                               and (t.words[1] in (select l.word from lexicon l where l.sense = 'person')
                                    or t.words[1] in (select f.form from forms f where f.oid = $2 and f.is_whole)) end
          and not exists (select from spoken s where s.attrelid = c.attrelid and s.parent = $2 and s.points > 0)
          and not exists (select from enforced e where e.conrelid = c.attrelid and e.confrelid = $2)
          -- Nor where users say which of its rows is theirs.
          and not exists (select from enforced e where e.conrelid = $2 and e.confrelid = c.attrelid)
), keyed as materialized (
       -- The key of the parent that the column can hold: the one it is called after, else the first.
       select distinct on (s.attrelid, s.attnum, s.parent, s.evidence)
              s.attrelid, s.attnum, s.parent, s.evidence, s.points, k.attname as parent_column, k.type as parent_type
         from (select * from spoken union all select * from halves) s
         join columns c using (attrelid, attnum)
         join keys k on k.oid = s.parent and (k.kind = c.kind or c.kind = 'text' and k.kind in ('number', 'uuid'))
        -- A number that the database makes up for the rows of a table is nobody else's, whatever it is called.
        where not (c.is_own_key and c.is_made_up and c.kind = 'number')
        order by s.attrelid, s.attnum, s.parent, s.evidence,
                 k.name = c.name desc, k.name = c.words[cardinality(c.words)] desc, k.is_primary desc, k.kind = c.kind desc, k.rank
), pairs as materialized (
       select k.attrelid, k.attnum, k.parent, k.parent_column, k.parent_type,
              array_agg(k.evidence order by k.points desc) as evidence, array_agg(k.points order by k.points desc) as points
         from keyed k
        group by 1, 2, 3, 4, 5
)
select c.attrelid as "table",
       c.attname as "column",
       c.kind,
       c.type,
       c.is_list,
       coalesce(c.is_required, false) as required,
       c.is_generated as generated,
       c.readable and coalesce(l.readable, b.readable, true) as readable,
       c.dated,
       c.aside as pages,
       c.is_left as "left",
       c.is_own_key as own_key,
       c.is_made_up as made_up,
       exists (select from pg_index i
                where i.indrelid = c.attrelid and i.indisvalid and i.indpred is null and i.indkey[0] = c.attnum) as indexed,
       exists (select from keys k where k.oid = c.attrelid and k.attname = c.attname) as "unique",
       cardinality(c.stem) > 0 and c.words[cardinality(c.words)] in (select l.word from lexicon l where l.sense = 'address') as address,
       coalesce(l.attname, b.attname) as type_column,
       l.attname is null and coalesce(b.supposed, false) as type_supposed,
       l.list as type_table,
       l.key as type_key,
       l.texts as type_texts,
       p.parent,
       p.parent_column,
       p.parent_type,
       p.evidence,
       p.points
  from columns c
  left join pairs p using (attrelid, attnum)
  left join lists l using (attrelid, attnum)
  left join beside b on b.attrelid = c.attrelid and b.stem = array_to_string(c.stem, '_') and b.attname <> c.attname
                    and (c.is_key or c.kind in ('number', 'uuid') and not b.supposed)
 order by c.attrelid, c.attnum, p.parent
