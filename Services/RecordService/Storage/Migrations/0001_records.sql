-- Records, zones, schema, change feed and change log: DESIGN 3. The migrator has made the schema `record`.

-- One row: the identity of this store. A restore from a backup renews it, which expires every sync token handed out
-- after the backup was taken (their positions may name changes that no longer exist).
create table record.store (
    singleton boolean primary key default true check (singleton),
    incarnation uuid not null default gen_random_uuid()
);
insert into record.store default values;

create table record.container (
    id int generated always as identity primary key,
    name text collate "C" not null unique,
    created_at timestamptz not null default now()
);

create table record.environment (
    id int generated always as identity primary key,
    container int not null references record.container on delete cascade,
    name text collate "C" not null check (name in ('development', 'production')),
    unique (container, name)
);

-- scope: 1 public (owner '_public'), 2 private (owner: the user's record name); CKDatabase.Scope's numbers.
create table record.database (
    id bigint generated always as identity primary key,
    environment int not null references record.environment on delete cascade,
    scope smallint not null check (scope in (1, 2)),
    owner text collate "C" not null,
    unique (environment, scope, owner)
);

-- A row is one incarnation of a zone: a zone that is deleted and made again is another row with another id, so rows
-- of the old one are out of sight at once and its tokens are known to be expired.
create table record.zone (
    id bigint generated always as identity primary key,
    database bigint not null references record.database on delete cascade,
    name text collate "C" not null,
    -- The base of notification ids, which must never repeat, not even after a restore.
    incarnation uuid not null default gen_random_uuid() unique,
    -- The number of the last change. Raised only under this row's lock, so that nobody sees n + 1 before n.
    change_seq bigint not null default 0,
    -- Tombstones up to here are gone: a token whose horizon is below is expired.
    purge_mark bigint not null default 0,
    -- The last transaction that changed the zone; a database token is a snapshot that sees it or does not.
    changed_xid xid8 not null default pg_current_xact_id(),
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    deletion_reason text check (deletion_reason in ('deleted', 'purged', 'encryptedDataReset'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create unique index zone_live_name on record.zone (database, name) where deleted_at is null;
create index zone_changed on record.zone (database, changed_xid, id);

create table record.record_type (
    id int generated always as identity primary key,
    environment int not null references record.environment on delete cascade,
    name text collate "C" not null,
    unique (environment, name)
);

-- type: the stored code of a field type (CloudKitModel.FieldType).
create table record.field (
    record_type int not null references record.record_type on delete cascade,
    name text collate "C" not null,
    type smallint not null,
    primary key (record_type, name)
);

-- Records and tombstones, one partition per environment. Partitions are made with `like` and `attach` and named by the
-- statements themselves: creating one in place would wait for every reader of the parent.
create table record.record (
    environment int not null,
    zone bigint not null,
    name text collate "C" not null,
    record_type int not null,
    -- The change that made this state: the feed is this column in order, each record once.
    change_seq bigint not null,
    change_tag text collate "C" not null,
    -- Bare values (the schema knows the types); null: a tombstone.
    fields jsonb,
    -- The counted bytes of semantics 2.4, which bound pages and batches before the fields are read.
    size int not null default 0,
    tokens text[],
    parent text collate "C",
    created_at timestamptz not null,
    created_by text collate "C" not null,
    created_device text collate "C" not null,
    modified_at timestamptz not null,
    modified_by text collate "C" not null,
    modified_device text collate "C" not null,
    primary key (environment, zone, name)
) partition by list (environment);
-- Every row fulfils the condition. It is there so that only the feed, which repeats it, can use the index: a look-up by
-- name planned while the table was believed empty would otherwise take it and read a whole zone.
create unique index record_feed on record.record (environment, zone, change_seq) where change_seq > 0;

-- Which record points to which, for cascades and integrity: found by target. action: NONE 0, DELETE_SELF 1, VALIDATE 2,
-- parent 3.
create table record.reference (
    zone bigint not null,
    target text collate "C" not null,
    source text collate "C" not null,
    field text collate "C" not null,
    action smallint not null,
    primary key (zone, target, source, field)
);
create index reference_source on record.reference (zone, source);

-- Which record uses which blob of the asset service.
create table record.asset_use (
    environment int not null,
    zone bigint not null,
    record text collate "C" not null,
    field text collate "C" not null,
    position int not null,
    blob bigint not null,
    primary key (environment, zone, record, field, position)
) partition by list (environment);
create index asset_use_blob on record.asset_use (blob);

-- One row per zone and run of one client's changes in a transaction: the outbox, the source of gap filling, the audit
-- trail. Hourly partitions, dropped after a day.
create table record.change (
    at timestamptz not null,
    zone bigint not null,
    incarnation uuid not null,
    from_seq bigint not null,
    to_seq bigint not null,
    xid xid8 not null default pg_current_xact_id(),
    client text collate "C",
    user_name text collate "C" not null,
    records jsonb not null
) partition by range (at);
create index change_zone on record.change (zone, to_seq);
create index change_xid on record.change (xid);

-- What was answered to which write, so that a repeat has no second effect. environment 0: an operator's request.
-- Four-hour partitions, dropped after a day: a look-up reads every live one.
create table record.request (
    at timestamptz not null,
    environment int not null,
    user_name text collate "C" not null,
    message_id text collate "C" not null,
    body_hash bytea not null,
    outcome bytea not null
) partition by range (at);
create index request_message on record.request (message_id, user_name, environment);

-- Work that may last over a minute is a row here, never a held message.
create table record.job (
    id bigint generated always as identity primary key,
    kind text not null,
    arguments jsonb not null,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    attempts int not null default 0,
    last_error text
);
create index job_due on record.job (due_at);
