-- The schema in full: versions, indexes, what an import hides, grants, roles. See DESIGN 3 and semantics 3 and 12.

-- Raised by whatever takes something away from the schema, re-types it or changes who may do what; learning only adds,
-- and leaves it alone. Written under the schema's exclusive lock, read by writers under its shared one.
alter table record.environment add column schema_version bigint not null default 1;

-- A type or field that an import left out is hidden: its values stay, and are there again with it.
alter table record.record_type add column dropped_at timestamptz;
alter table record.field add column dropped_at timestamptz;
-- CloudKitSchema.FieldIndexes: QUERYABLE 1, SORTABLE 2, SEARCHABLE 4. Also rows of system fields that have an index.
alter table record.field add column indexes smallint not null default 0;

-- Learnt fields have every index that their type allows (semantics 2.10): of type % 16 below 5 (STRING 1, INT64 2,
-- DOUBLE 3, TIMESTAMP 4), REFERENCE 6 and LOCATION 8; + 16 a list; 32 and above encrypted.
update record.field set indexes = case
    when type >= 32 or type % 16 in (5, 7) then 0
    when type = 1 then 7
    when type = 17 then 5
    when type < 16 then 3
    else 1 end;

-- permissions: CloudKitSchema.Permissions, READ 1, CREATE 2, WRITE 4.
create table record.type_grant (
    record_type int not null references record.record_type on delete cascade,
    role text collate "C" not null,
    permissions smallint not null,
    primary key (record_type, role)
);

-- Custom roles; the implicit ones are nobody's row.
create table record.role (
    environment int not null references record.environment on delete cascade,
    name text collate "C" not null,
    primary key (environment, name)
);
create table record.role_member (
    environment int not null,
    role text collate "C" not null,
    user_name text collate "C" not null,
    primary key (environment, role, user_name),
    foreign key (environment, role) references record.role on delete cascade
);

-- Every environment has the type of user records (semantics 1.4); what was learnt so far may be used as learnt types are.
insert into record.type_grant (record_type, role, permissions)
select t.id, g.role, g.permissions from record.record_type t
cross join (values ('_creator', 4::smallint), ('_icloud', 2::smallint), ('_world', 1::smallint)) as g(role, permissions)
where t.name <> 'Users';
insert into record.record_type (environment, name) select id, 'Users' from record.environment on conflict do nothing;
insert into record.type_grant (record_type, role, permissions)
select t.id, g.role, g.permissions from record.record_type t
cross join (values ('_creator', 4::smallint), ('_world', 1::smallint)) as g(role, permissions) where t.name = 'Users';

-- The native indexes that an environment's table is to have, and how far they are. One serves several of a field's
-- kinds; `kinds` says which. `dropped`: it goes.
create table record.field_index (
    id int generated always as identity primary key,
    environment int not null references record.environment on delete cascade,
    record_type int not null,
    field text collate "C" not null,
    type smallint not null,
    method text not null check (method in ('value', 'elements', 'place', 'words')),
    kinds smallint not null,
    state text not null default 'waiting' check (state in ('waiting', 'building', 'ready', 'failed', 'dropped')),
    -- When it is worked at next; infinity: not by this release.
    due_at timestamptz not null default now(),
    attempts int not null default 0,
    last_error text,
    created_at timestamptz not null default now(),
    ready_at timestamptz
);
create unique index field_index_wanted on record.field_index (environment, record_type, field, method)
    where state <> 'dropped';

-- One worker at a time for an environment's indexes: a second deploy finds the first one's job.
create unique index job_index_build on record.job ((arguments->>'environment')) where kind = 'index.build';

-- An index over a list's elements is led by the zone, which takes btree_gin. Where the service's role may not install
-- it (`zonda provision database` does), such indexes wait for it.
do $do$ begin
    create extension if not exists btree_gin with schema record;
exception when insufficient_privilege or undefined_file or feature_not_supported then null;
end $do$;
