-- The indexes that queries use: all kinds, and the words of records.

-- Words are compared as bytes, as all names are, whatever the server's libraries think of them.
alter table record.record alter column tokens type text[] collate "C";

-- Places take cube, substrings pg_trgm, and each of them led by the zone btree_gist or btree_gin. Where the service's role
-- may not install them (`zonda provision database` does), such indexes wait.
do $do$
declare
    name text;
begin
    foreach name in array array['btree_gin', 'btree_gist', 'cube', 'pg_trgm'] loop
        begin
            execute format('create extension if not exists %I with schema record', name);
        exception when insufficient_privilege or undefined_file or feature_not_supported then null;
        end;
    end loop;
end $do$;

-- `ordered` is what `value` was, with the record's name in it; `substring` is new. The new words keep a service of an
-- earlier release from building what it does not know, while services are replaced one by one.
alter table record.field_index drop constraint field_index_method_check;

-- The last record whose words were made, of an index over words; null: none yet.
alter table record.field_index add column filled_zone bigint;
alter table record.field_index add column filled_name text collate "C";

-- What was built without the name goes, and comes again.
with gone as (
    update record.field_index set state = 'dropped', due_at = now() where method = 'value' and state <> 'dropped'
    returning environment, record_type, field, type, kinds)
insert into record.field_index (environment, record_type, field, type, method, kinds)
select environment, record_type, field, type, 'ordered', kinds from gone;

-- One index over words for a type, where there was to be one for each field; of single texts (type 1) also one over
-- trigrams. None of these was built so far.
with gone as (
    delete from record.field_index where method = 'words' and state <> 'dropped'
    returning environment, record_type, field, type)
insert into record.field_index (environment, record_type, field, type, method, kinds, due_at)
select environment, record_type, field, type, 'substring', 4, now() from gone where type = 1
union all
-- Later: what a service of an earlier release saves meanwhile has no words.
select distinct environment, record_type, '___allTokens', 1::smallint, 'words', 4::smallint,
    now() + interval '10 minutes' from gone;

-- Lists of places (type 24) are asked for their elements.
update record.field_index set method = case type when 24 then 'elements' else 'place' end, due_at = now(),
    last_error = null
where method = 'place' and state <> 'dropped';

alter table record.field_index add constraint field_index_method_check
    check (method in ('ordered', 'elements', 'place', 'words', 'substring') or state = 'dropped');

-- Writers read anew which types have words.
update record.environment set schema_version = schema_version + 1
where id in (select environment from record.field_index where method = 'words' and state <> 'dropped');

insert into record.job (kind, arguments)
select distinct 'index.build', jsonb_build_object('environment', environment) from record.field_index
where state <> 'ready'
on conflict ((arguments->>'environment')) where kind = 'index.build' do update set due_at = now();
