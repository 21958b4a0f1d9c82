-- Subscriptions and how far their zones were delivered: DESIGN 4. The migrator has made the schema `subscription`.

create table subscription.environment (
    id int generated always as identity primary key,
    container text collate "C" not null,
    name text collate "C" not null check (name in ('development', 'production')),
    unique (container, name)
);

-- scope: 1 public, 2 private; CKDatabase.Scope's numbers. A user's subscriptions are unique within a database.
create table subscription.subscription (
    -- The base of this subscription's notification ids; deleted and saved again it is another one.
    id uuid primary key default gen_random_uuid(),
    environment int not null references subscription.environment,
    scope smallint not null check (scope in (1, 2)),
    user_name text collate "C" not null,
    subscription_id text collate "C" not null,
    zone_owner text collate "C" not null,
    zone_name text collate "C" not null,
    -- The keys that CloudKit knows, checked when it was saved; null: none was given.
    notification_info jsonb,
    -- The moment saved: it fires for every change whose transaction this does not see, and for none earlier. Null: the
    -- row is committed, its moment not yet taken (Storage/WatcherTable.swift).
    snapshot pg_snapshot,
    unique (environment, scope, user_name, subscription_id)
);
-- Who watches a zone: asked once for every batch of changes.
create index subscription_zone on subscription.subscription (zone_owner, zone_name, environment);

-- How far each incarnation of a zone was delivered: every change up to here was published and confirmed. No row: 0.
create table subscription.cursor (
    incarnation uuid primary key,
    -- What `delivered` was before: with it an insert that meets the row is a compare-and-set.
    previous bigint not null,
    delivered bigint not null check (delivered > previous)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- One row: the window of the change log that the next sweep looks at, as the record service's snapshots.
create table subscription.sweep (
    singleton boolean primary key default true check (singleton),
    since text,
    up_to text,
    -- When an instance last took the sweep upon itself.
    taken_at timestamptz not null default '-infinity'
);
insert into subscription.sweep default values;

-- The instances that run, so that they can share the shards evenly.
create table subscription.instance (
    id uuid primary key,
    seen_at timestamptz not null
);

-- What was answered to which write, so that a repeat has no second effect. Four-hour partitions, dropped after a day.
create table subscription.request (
    at timestamptz not null,
    environment int not null,
    user_name text collate "C" not null,
    message_id text collate "C" not null,
    body_hash bytea not null,
    outcome bytea not null
) partition by range (at);
create index request_message on subscription.request (message_id, user_name, environment);
