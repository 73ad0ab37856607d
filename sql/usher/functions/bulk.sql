-- The functions that begin a bulk change and run it batch by batch.

-- Refuses subjects that the query of the app file doesn't return: they don't exist, or were deleted after the preview.
create or replace function usher.refuse_unknown_subjects(act usher.action, keys text[], at timestamptz, arguments jsonb, plan text) returns void
language plpgsql volatile
as $$
declare
    known constant text[] := usher.matching_keys(act, refuse_unknown_subjects.keys, at, arguments);
    stranger text;
begin
    if cardinality(known) = cardinality(refuse_unknown_subjects.keys) then return; end if;
    stranger := (select k.key from unnest(refuse_unknown_subjects.keys) k (key) where k.key <> all (known) or k.key is null limit 1);
    if plan is null then
        raise exception 'there is no user or object with the key % in this database', stranger using errcode = 'US004', detail = 'stranger';
    end if;
    raise exception 'the user or object with the key % was deleted since the preview; nothing was changed', stranger using errcode = 'US006', detail = 'gone';
end
$$;

-- Refuses to continue a bulk change if someone edited its list of subjects between the ordinals `low` and `high`. Each group of `size`
-- subjects has one digest. That digest covers the digests of the single subjects. If a deletion erased the key of a subject, its stored
-- digest is used. A subject with neither key nor digest counts as edited.
create or replace function usher.refuse_other_list(whole usher.operation, low integer, high integer) returns void
language plpgsql stable
as $$
declare
    size constant integer := (whole.payload -> 'list' ->> 'size')::integer;
begin
    if exists (
        select from generate_series((refuse_other_list.low - 1) / size, (refuse_other_list.high - 1) / size) as n (number)
         cross join lateral (
               select sha256(string_agg(
                          coalesce(
                              case when s.key is not null then sha256(s.salt || convert_to(s.ordinal || ' ' || s.key, 'UTF8'))
                                   when exists (select from usher.operation o
                                                 where o.id = s.erased and o.kind = 'erasure' and o.outcome = 'committed') then s.digest end,
                              '\x00'),
                          '' order by s.ordinal)) as digest
                 from usher.subject s
                where s.operation = whole.id and s.ordinal > n.number * size and s.ordinal <= (n.number + 1) * size) b
         where encode(b.digest, 'hex') is distinct from whole.payload -> 'list' -> 'digests' ->> n.number::text) then
        raise exception 'the list of users of the bulk change % was edited after the bulk change began', whole.id
              using errcode = 'US003', detail = 'other_list',
                    hint = format('`usher audit verify` shows details; `usher audit undo %s` undoes the finished batches', whole.id);
    end if;
end
$$;

-- Counts the users of a bulk change that are done, refused or skipped (`passed`) so far, and the changed rows. If the payload of a batch was
-- erased, the users who are left in the record of the batch count as done.
create or replace function usher.bulk_sums(whole usher.operation, out done bigint, out refused bigint, out changed bigint, out passed bigint)
language sql stable
as $$
    select b.done, b.refused, b.changed,
           case when whole.undoes is null then nullif(greatest((whole.payload ->> 'listed')::bigint - b.done - b.refused, 0), 0) end
      from (select coalesce(sum(coalesce((b.payload ->> 'done')::bigint, cardinality(b.subjects))), 0) as done,
                   coalesce(sum((b.payload ->> 'refused')::bigint), 0) as refused,
                   coalesce(sum(coalesce(s.changes, (select count(*) from usher.change c where c.operation = b.id))), 0) as changed
              from usher.operation b
              left join usher.sealed s on s.operation = b.id
             where b.parent = whole.id and b.kind = 'batch') b
$$;

-- Refuses to resume a bulk change if some of its batches are undone.
create or replace function usher.refuse_undone_batches(whole usher.operation) returns void
language plpgsql stable
as $$
begin
    if exists (select from (select p.id from usher.operation p join usher.operation u on u.undoes = p.id
                             where p.parent = whole.id and p.kind = 'batch' offset 0) p
                where usher.outcome(p.id) = 'undone' or usher.undone_changes(p.id) <> '{}') then
        raise exception 'some batches of operation % are undone, so usher can''t continue the operation', whole.id
              using errcode = 'US003', detail = 'parts_undone',
                    hint = format('undo the other batches with `usher audit undo %s`', whole.id);
    end if;
end
$$;

-- Returns true if `words` and the subjects are those of a bulk change. A deleted subject doesn't count, because the operator can't type it again.
create or replace function usher.is_same_bulk(whole usher.operation, words text, selections jsonb, chosen text[]) returns boolean
language sql stable
as $$
    select whole.payload ->> 'words' = is_same_bulk.words
       and coalesce(whole.payload -> 'selections', '[]') = is_same_bulk.selections
       and (is_same_bulk.selections <> '[]' or whole.undoes is not null
            or chosen = array(select s.key from usher.subject s where s.operation = whole.id and s.key is not null order by s.ordinal))
$$;

-- The progress of an unfinished bulk change. Refuses to resume the bulk change if the operator typed a different change or different users.
create or replace function usher.resumed(whole usher.operation, words text, chosen text[], request jsonb) returns jsonb
language plpgsql stable
as $$
declare
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    is_named constant boolean := selections <> '[]' or coalesce(jsonb_typeof(request -> 'keys'), 'null') <> 'null';
    next record;
    sums record;
begin
    if whole.id is null then
        raise exception 'there is no bulk change %', request ->> 'resumes' using errcode = 'US004', detail = 'no_bulk';
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception 'can''t resume operation %, because it is already %', whole.id, usher.outcome(whole.id)
              using errcode = 'US003', detail = 'not_unfinished';
    end if;
    if whole.payload ->> 'words' is distinct from resumed.words or is_named and not usher.is_same_bulk(whole, words, selections, chosen) then
        raise exception 'this command or its users differ from the command that began operation %', whole.id
              using errcode = 'US002', detail = 'other_bulk',
                    hint = 'to resume the operation, repeat its command without users, and with the same app file';
    end if;
    select * into next from usher.next_batch(whole, 100);
    perform usher.refuse_other_list(whole, next.done_until + 1, coalesce(next.last, (whole.payload ->> 'listed')::integer));
    select * into sums from usher.bulk_sums(whole);
    return jsonb_build_object(
        'outcome', 'resumed', 'now', whole.payload -> 'now', 'total', whole.payload -> 'total',
        'done', sums.done, 'refusals', sums.refused, 'changed', sums.changed);
end
$$;

-- The selections of a request as the audit log names them, such as `--due`; null if there are none.
create or replace function usher.selection_names(request jsonb) returns text
language sql immutable
as $$
    select string_agg('--' || s.name, ' ' order by s.place)
      from jsonb_array_elements_text(coalesce(nullif(request -> 'selections', 'null'), '[]')) with ordinality as s (name, place)
$$;

-- The subjects of a bulk change (`chosen`), and the digest of the typed command without the subjects (`words`). The digest has no salt, so
-- it must not cover the keys of users. The undo of a bulk change has the batches that are not undone yet as its subjects.
create or replace function usher.bulk_subjects(request jsonb, opened usher.opened, guarded jsonb, out chosen text[], out words text)
language plpgsql volatile
as $$
declare
    selections constant jsonb := coalesce(nullif(request -> 'selections', 'null'), '[]');
    typed jsonb;
begin
    if (opened.undone).id is not null then
        chosen := array(select b.id::text from usher.operation b
                         where b.parent = (opened.undone).id and b.kind = 'batch' and usher.outcome(b.id) in ('committed', 'partial')
                         order by b.at desc);
        if cardinality(chosen) = 0 and request ->> 'resumes' is null then
            raise exception 'the bulk change % has no batches left to undo', (opened.undone).id using errcode = 'US003', detail = 'nothing_left';
        end if;
        words := 'undo ' || (opened.undone).id;
        return;
    end if;
    -- usher evaluates a selection only once, when the bulk change begins.
    if selections = '[]' then
        chosen := opened.subjects;
        perform usher.refuse_unknown_subjects(opened.definition, chosen, opened.at, opened.given, null);
    elsif not opened.is_dry and request ->> 'resumes' is null then
        chosen := usher.selected(opened.definition, selections, opened.at, opened.given);
    end if;
    perform usher.refuse_beside(bulk_subjects.guarded);
    -- Every operator can read the record, and could guess a short secret from a digest.
    typed := jsonb_build_array((opened.act).app, encode((opened.act).digest, 'hex'), (opened.act).name, usher.plain(opened.definition, opened.given));
    words := encode(sha256(convert_to(typed::text, 'UTF8')), 'hex');
end
$$;

-- Records the start of a bulk change, and its subjects.
create or replace function usher.record_bulk(request jsonb, opened usher.opened, chosen text[], words text, asked usher.operation) returns void
language plpgsql volatile
as $$
declare
    id constant uuid := (request ->> 'id')::uuid;
    undone constant usher.operation := opened.undone;
    -- A batch has to read all subjects of a digest, so each digest covers only a thousand subjects.
    list_size constant integer := 1000;
    salts constant bytea := usher.salts(cardinality(chosen));
    digests jsonb;
begin
    with listed as (
        insert into usher.subject (operation, ordinal, key, salt, digest)
        select id, s.ordinal, s.key, s.salt, sha256(s.salt || convert_to(s.ordinal || ' ' || s.key, 'UTF8'))
          from (select c.ordinal::integer as ordinal, c.key, substr(salts, (c.ordinal * 16 - 15)::integer, 16) as salt
                  from unnest(chosen) with ordinality as c (key, ordinal) offset 0) s
        returning subject.ordinal, subject.digest
    )
    select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}') into digests
      from (select (l.ordinal - 1) / list_size as number, sha256(string_agg(l.digest, '' order by l.ordinal)) as digest
              from listed l group by 1) b;
    perform usher.record(
        id, 'bulk', 'committed', (opened.definition).command, coalesce(undone.app, (opened.act).app),
        coalesce(undone.app_digest, (opened.act).digest), null, undone.id, coalesce(undone.root, usher.root_name(opened.app)), null,
        usher.ledger_payload(opened.app, opened.definition, opened.environment, '{}', opened.at, opened.given, request)
            || jsonb_build_object(
                'target', coalesce(undone.id::text, usher.selection_names(request), cardinality(chosen) || ' users'),
                'arguments', nullif(usher.plain(opened.definition, jsonb_strip_nulls(opened.given)), '{}'),
                'kind', request -> 'kind', 'name', request -> 'name', 'selections', nullif(request -> 'selections', '[]'),
                'words', words, 'now', opened.at::text, 'total', cardinality(chosen), 'listed', cardinality(chosen),
                'list', jsonb_build_object('size', list_size, 'digests', digests),
                'asked_by', asked.operator),
        request := asked.id);
end
$$;

-- Begins a bulk change: {id, app, digest, kind, name, arguments, keys or selections, now, dry, reason, ticket}, or the undo of a
-- bulk change: {id, undoes, ...}. With {resumes}, the id of an unfinished bulk change, it returns the progress; then the keys are optional.
-- This function only records the subjects; `usher.batch` runs the change. If two operators begin the same change, the second gets an error
-- with the id of the first bulk change.
create or replace function usher.begin(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set work_mem = '64MB'
as $$
declare
    guarded constant jsonb := usher.open_transaction(request);
    -- Only a bulk change of an action has a name and selections.
    own constant jsonb := case when request ->> 'undoes' is null then request else request - '{kind,name,selections}'::text[] end;
    opened constant usher.opened := usher.open_change(
        own, own ->> 'undoes', usher.instant(own ->> 'now'), is_resumed => own ->> 'resumes' is not null);
    bulk record;
    busy jsonb;
    unfinished uuid;
    whole usher.operation;
    asked usher.operation;
begin
    if (opened.undone).kind <> 'bulk' then
        raise exception 'there is no bulk change %', own ->> 'undoes' using errcode = 'US004', detail = 'no_bulk';
    end if;
    select * into bulk from usher.bulk_subjects(own, opened, guarded);
    if own ->> 'resumes' is not null then
        select o.* into whole from usher.operation o where o.id = (own ->> 'resumes')::uuid and o.kind = 'bulk';
        return usher.resumed(whole, bulk.words, bulk.chosen, own);
    end if;
    asked := usher.asked_for(own, opened);
    -- A deletion must not miss the list of this bulk change.
    busy := coalesce(
        usher.take_locks(array[hashtextextended('usher bulk ' || bulk.words, 0)]),
        case when not opened.is_dry and (opened.undone).id is null
             then usher.lock_keys(
                 (opened.act).app, opened.app -> 'root', (opened.definition).subject, (opened.definition).noun, bulk.chosen) end);
    if busy is not null then return busy; end if;
    select o.id into unfinished
      from usher.operation o
     where o.kind = 'bulk' and o.payload ->> 'words' = bulk.words and usher.outcome(o.id) = 'running'
       and usher.is_same_bulk(o, bulk.words, coalesce(nullif(own -> 'selections', 'null'), '[]'), bulk.chosen)
     order by o.at desc limit 1;
    if unfinished is not null then
        raise exception 'operation % already began this change and is not finished', unfinished
              using errcode = 'US006', detail = E'unfinished\n' || unfinished,
                    hint = format('continue with the same command and --resume %s', unfinished);
    end if;
    if not opened.is_dry then
        perform usher.refuse_beside(guarded);
        perform usher.record_bulk(own, opened, bulk.chosen, bulk.words, asked);
    end if;
    return jsonb_build_object(
        'outcome', case when opened.is_dry then 'planned' else 'begun' end,
        'total', cardinality(bulk.chosen), 'now', opened.at::text);
end
$$;

-- Records the end of a bulk change, with the numbers of processed users and changed rows. A user who is neither done nor refused was
-- skipped (`passed`), because the user was deleted or is no longer selected.
create or replace function usher.finish(whole usher.operation, id uuid) returns jsonb
language plpgsql volatile
as $$
declare
    sums record;
begin
    select * into sums from usher.bulk_sums(whole);
    perform usher.record(
        finish.id, 'end', case sums.refused when 0 then 'committed' else 'partial' end, whole.command, whole.app,
        whole.app_digest, whole.id, null, whole.root, null,
        jsonb_build_object('done', sums.done, 'refused', sums.refused, 'changed', sums.changed, 'passed', sums.passed));
    return jsonb_build_object('outcome', 'exhausted', 'done', sums.done, 'refusals', sums.refused, 'passed', sums.passed);
end
$$;

-- The progress of a bulk change, up to the ordinal `done_until`, and the subjects of its next batch (`due`), up to the ordinal `last`.
-- Refuses the batch if the bulk change has ended, or if some of its batches are undone.
create or replace function usher.next_batch(
    whole usher.operation, size integer, out number bigint, out done_until integer, out due text[], out last integer
)
language plpgsql stable
as $$
begin
    if whole.erased is not null then
        raise exception 'the deletion of a user erased the record of operation %, so usher can''t continue the operation', whole.id
              using errcode = 'US003', detail = 'erased', hint = 'run the command again for the remaining users';
    end if;
    if usher.outcome(whole.id) <> 'running' then
        raise exception 'another operator already finished this operation; usher didn''t change any row twice'
              using errcode = 'US006', detail = 'done_meanwhile',
                    hint = '`usher audit list` shows who finished this operation';
    end if;
    perform usher.refuse_undone_batches(whole);
    number := (select count(*) + 1 from usher.operation b where b.parent = whole.id and b.kind = 'batch');
    done_until := coalesce((select max(b.last) from usher.operation b where b.parent = whole.id and b.kind = 'batch'), 0);
    -- The query reads only a range of ordinals, because sorting all remaining subjects would take too long.
    select coalesce(array_agg(s.key order by s.ordinal), '{}'), max(s.ordinal) into due, last
      from (select u.ordinal from usher.subject u
             where u.operation = whole.id and u.ordinal > done_until and u.key is not null
             order by u.ordinal limit 1) as next (place)
      join usher.subject s on s.operation = whole.id and s.key is not null and s.ordinal >= next.place
       and s.ordinal < next.place + case when whole.undoes is null then greatest(next_batch.size, 1) else 1 end;
end
$$;

-- Refuses to continue a bulk change if the operator no longer has the right to run it. A bulk change keeps the definition that the action
-- had at the start. But an action of the same name must be installed, and its current roles decide who can run and approve the change.
create or replace function usher.refuse_to_resume(whole usher.operation, act usher.act) returns void
language plpgsql volatile
as $$
declare
    undone constant usher.operation := (select o from usher.operation o where o.id = whole.undoes);
    again constant usher.act := usher.act_run_again(undone);
    installed constant usher.act := usher.act_now(act);
    -- A request by the operator who began or resumes the bulk change doesn't count as a second person.
    asked constant jsonb := jsonb_build_object(
        'request', (select o.id from usher.operation o where o.id = whole.request and o.operator not in (whole.operator, session_user)));
    environment constant text := usher.environment_for(
        case when undone.id is null then whole.payload ->> 'kind' else coalesce(again.kind, 'undo') end, whole.payload ->> 'reason', false);
begin
    if undone.id is not null then
        perform usher.refuse_forbidden(usher.role_of(whole), whole.command);
        perform usher.refuse_alone(again, environment, asked, false);
        return;
    end if;
    if installed.app is null then perform usher.refuse_not_installed(whole.app, null, act.name); end if;
    perform usher.refuse_forbidden(installed.role, whole.command);
    perform usher.refuse_alone(act, environment, asked, false);
    if whole.request is not null then perform usher.refuse_forbidden(coalesce(installed.definition ->> 'approve', installed.role), whole.command); end if;
end
$$;

-- Records a batch that changed some subjects; `said` has additional members for its payload.
create or replace function usher.record_batch(
    whole usher.operation, id uuid, app jsonb, act usher.action, report jsonb, at timestamptz, said jsonb
) returns void
language sql volatile
as $$
    select usher.record(
        record_batch.id, 'batch', 'committed', whole.command, whole.app, whole.app_digest, whole.id, null, whole.root,
        array(select jsonb_array_elements_text(report -> 'users')),
        usher.ledger_payload(
            app, act, usher.environment_name(), array(select jsonb_array_elements_text(report -> 'subjects')), record_batch.at, '{}', '{}') || said
            || case when report ? 'changed' then usher.answered(app, act)
                    else jsonb_build_object('beside', nullif(report -> 'others', 'null'),
                                            'decisions', usher.changed_decisions(report -> 'decisions')) end,
        report -> 'changes')
$$;

-- The number of users of a batch. If the payload of the batch is erased, this is the number of users left in its record plus the number of
-- erased changes.
create or replace function usher.users_of_batch(batch uuid) returns bigint
language sql stable
as $$
    select case when b.erased is null then coalesce((b.payload ->> 'done')::bigint, 0)
                else cardinality(coalesce(b.subjects, '{}')) + usher.erased_changes(b.id) end
      from usher.operation b
     where b.id = users_of_batch.batch
$$;

-- Runs a batch: an action for some subjects, or the undo of one batch. Records the batch, also if it is refused or fails.
create or replace function usher.run_batch(
    whole usher.operation, id uuid, app jsonb, act usher.action, keys text[], at timestamptz, arguments jsonb, place jsonb
) returns jsonb
language plpgsql volatile
as $$
declare
    guarded jsonb := usher.guarded();
    undone constant uuid := case when whole.undoes is not null then run_batch.keys[1] end;
    due text[];
    -- The number of users of the undone batch, or of the subjects that the action may change.
    number bigint := usher.users_of_batch(undone);
    report jsonb;
    because text;
    facts text;
begin
    begin
        if undone is null then
            report := usher.batch_at_once(whole, run_batch.id, app, act, run_batch.keys, at, arguments);
            if report is null then
                -- A failed statement is rolled back, but the server still counts its rows.
                guarded := usher.guarded();
                due := usher.matching_keys(act, run_batch.keys, at, arguments, whole.payload -> 'selections');
                number := cardinality(due);
                report := usher.run_action(
                    app, act, due, at, arguments, jsonb_build_object('tolerant', true, 'confirmed', true, 'guarded', guarded));
            end if;
        else
            report := usher.undo_operation(
                jsonb_build_object('id', run_batch.id, 'operation', undone, 'parent', whole.id, 'confirmed', true,
                                   'reason', whole.payload -> 'reason', 'ticket', whole.payload -> 'ticket',
                                   'position', place || jsonb_build_object('done', number), 'guarded', guarded), at);
        end if;
        because := report -> 'error' ->> 'message';
    exception when sqlstate 'US003' or sqlstate 'US010' then
        get stacked diagnostics because = message_text, facts = pg_exception_detail;
        report := jsonb_build_object(
            'outcome', 'refused', 'refused', '[]'::jsonb, 'error', jsonb_build_object('state', sqlstate, 'message', because, 'detail', facts));
    end;
    if undone is null and not report ? 'changed' then perform usher.refuse_beside(guarded); end if;
    if report ->> 'outcome' = 'locked' then return report; end if;
    -- If the action changed no rows, all users who were not refused count as done.
    place := place || case when undone is not null and report ->> 'outcome' = 'done'
                           then usher.undo_progress(jsonb_build_object('done', number), (report ->> 'left_out')::bigint)
                           else jsonb_build_object(
        'done', case when undone is null and report ->> 'outcome' in ('done', 'nothing') then jsonb_array_length(report -> 'subjects') else 0 end,
        'refused', case when undone is null and because is null then jsonb_array_length(report -> 'refused') else number end, 'because', because) end;
    if report ->> 'outcome' <> 'done' then
        perform usher.record(
            run_batch.id, 'batch', case report ->> 'outcome' when 'failed' then 'failed' else 'refused' end, whole.command, whole.app,
            whole.app_digest, whole.id, undone, whole.root, null, place);
    elsif undone is null then
        perform usher.record_batch(whole, run_batch.id, app, act, report, at, place);
    end if;
    return report - array['subjects', 'users', 'changes', 'decisions', 'warnings'] || jsonb_build_object(
        'done', place -> 'done', 'refusals', place -> 'refused',
        'changed', coalesce((report ->> 'changed')::bigint, jsonb_array_length(report -> 'changes'), 0));
end
$$;

-- Runs the next batch of a bulk change: {id, operation, size, secrets}. Records the batch even if it fails, so that the next run continues
-- with the following subjects. If no subject is left, records the end. If some subjects are refused, usher still changes the others. Call
-- this function like `usher.run`, each time in a new transaction, until the outcome is `exhausted`.
create or replace function usher.batch(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    guarded constant jsonb := usher.open_transaction(request);
    id constant uuid := (request ->> 'id')::uuid;
    whole usher.operation;
    act usher.act;
    action usher.action;
    app jsonb;
    given jsonb := '{}';
    at timestamptz;
    next record;
    busy jsonb;
begin
    select o.* into whole from usher.operation o where o.id = (batch.request ->> 'operation')::uuid and o.kind = 'bulk';
    if whole.id is null then
        raise exception 'there is no bulk change %', request ->> 'operation' using errcode = 'US004', detail = 'no_bulk';
    end if;
    -- Only one session at a time runs a batch of this bulk change.
    busy := usher.take_locks(array[hashtextextended('usher bulk ' || whole.id, 0)]);
    if busy is not null then return busy; end if;
    select * into next from usher.next_batch(whole, (request ->> 'size')::integer);
    at := (whole.payload ->> 'now')::timestamptz;
    select a.* into act from usher.act a
     where a.app = whole.app and a.digest = whole.app_digest and a.kind = whole.payload ->> 'kind' and a.name = whole.payload ->> 'name';
    action := jsonb_populate_record(null::usher.action, act.definition);
    perform usher.refuse_to_resume(whole, act);
    perform usher.refuse_other_list(whole, next.done_until + 1, coalesce(next.last, (whole.payload ->> 'listed')::integer));
    if cardinality(next.due) = 0 then return usher.finish(whole, id); end if;
    if whole.undoes is null then
        app := (select a.definition from usher.act a where a.app = act.app and a.digest = act.digest and a.kind = 'app');
        perform usher.own_session(app);
        -- The audit log doesn't record secrets, so the caller gives them with each batch.
        given := usher.arguments(
            action.parameters,
            coalesce((select jsonb_object_agg(p.value ->> 'name', request -> 'secrets' -> (p.value ->> 'name'))
                        from jsonb_array_elements(action.parameters) p
                       where (p.value ->> 'secret')::boolean), '{}') || coalesce(whole.payload -> 'arguments', '{}'));
        busy := usher.lock_subjects(whole.app, app, action, next.due, at, given, guarded);
        if busy is not null then return busy; end if;
    end if;
    return usher.run_batch(
        whole, id, app, action, next.due, at, given, jsonb_build_object('number', next.number, 'last', next.last));
end
$$;
