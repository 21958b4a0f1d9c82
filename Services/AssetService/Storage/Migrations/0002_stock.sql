-- Quotas, scrub and reconciliation: decisions 91 to 95.

-- looked_at: when the scrub took the blob up; verified_at: when its bytes were last found right, which they are while
-- they are hashed on their way in. damage: the file of `generation` is not served, and the next upload replaces it.
-- count_at: when its holders are to be compared with the records' uses next.
alter table asset.blob
    add column looked_at timestamptz not null default now(),
    add column verified_at timestamptz not null default now(),
    add column damage text check (damage in ('missing', 'corrupt', 'unreadable')),
    add column damaged_at timestamptz,
    add column count_at timestamptz not null default now(),
    add check ((damage is null) = (damaged_at is null));
update asset.blob set looked_at = created_at, verified_at = created_at;
create index blob_looked on asset.blob (looked_at);
create index blob_damaged on asset.blob (damaged_at, id) where damage is not null;
create index blob_count on asset.blob (count_at);

-- Which databases hold a content, by a receipt that is good until then or by a record. A row per database, not per
-- record: the record service is asked whether it is one still. Container and size repeat the blob's, so that a row that
-- goes tells what becomes free.
create table asset.holder (
    blob bigint not null references asset.blob on delete cascade,
    environment text collate "C" not null,
    scope text collate "C" not null,
    owner text collate "C" not null,
    container text collate "C" not null,
    size bigint not null,
    until timestamptz not null,
    primary key (blob, environment, scope, owner)
);

-- The sums of the holders by database, and of the live blobs by container, kept by triggers in the transactions that
-- change those. What many write is spread over slots by the session.
create table asset.database_usage (
    container text collate "C" not null,
    environment text collate "C" not null,
    scope text collate "C" not null,
    owner text collate "C" not null,
    slot smallint not null,
    bytes bigint not null,
    blobs bigint not null,
    primary key (container, environment, scope, owner, slot)
) with (fillfactor = 70);
create table asset.container_usage (
    container text collate "C" not null,
    slot smallint not null,
    bytes bigint not null,
    blobs bigint not null,
    primary key (container, slot)
) with (fillfactor = 50);

create function asset.count_holders() returns trigger language plpgsql as $$
begin
    insert into asset.database_usage as u (container, environment, scope, owner, slot, bytes, blobs)
    select h.container, h.environment, h.scope, h.owner,
        case when h.scope = 'public' then pg_backend_pid() % 8 else 0 end,
        sum(h.size) * tg_argv[0]::int, count(*) * tg_argv[0]::int
    from changed h group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (container, environment, scope, owner, slot) do update
        set bytes = u.bytes + excluded.bytes, blobs = u.blobs + excluded.blobs;
    return null;
end $$;
create trigger holder_added after insert on asset.holder referencing new table as changed
    for each statement execute function asset.count_holders('1');
create trigger holder_removed after delete on asset.holder referencing old table as changed
    for each statement execute function asset.count_holders('-1');

create function asset.count_blob() returns trigger language plpgsql as $$
declare
    added int := case when tg_op <> 'DELETE' and new.state = 'live' then 1 else 0 end
        - case when tg_op <> 'INSERT' and old.state = 'live' then 1 else 0 end;
    b asset.blob := case when tg_op = 'DELETE' then old else new end;
begin
    if added <> 0 then
        insert into asset.container_usage as u (container, slot, bytes, blobs)
        values (b.container, pg_backend_pid() % 8, added * b.size, added)
        on conflict (container, slot) do update
            set bytes = u.bytes + excluded.bytes, blobs = u.blobs + excluded.blobs;
    end if;
    return null;
end $$;
create trigger blob_counted after insert or delete on asset.blob
    for each row execute function asset.count_blob();
create trigger blob_recounted after update on asset.blob
    for each row when (old.state is distinct from new.state) execute function asset.count_blob();

insert into asset.container_usage (container, slot, bytes, blobs)
select container, 0, sum(size), count(*) from asset.blob where state = 'live' group by container;

-- What a container may have instead of the settings' quotas: null, the setting's; -1, no quota.
create table asset.quota (
    container text collate "C" primary key,
    container_bytes bigint check (container_bytes >= -1),
    user_bytes bigint check (user_bytes >= -1)
);

-- Files without a row, as the reconciler saw them: one is removed when it is seen again a sweep later.
create table asset.stray (
    key text collate "C" primary key,
    first_seen timestamptz not null default now(),
    last_seen timestamptz not null default now()
);

-- One row: what the last whole round of the reconciler found, and how far its walk over the rows has come.
create table asset.round (
    singleton boolean primary key default true check (singleton),
    ended_at timestamptz,
    files bigint not null default 0,
    strays bigint not null default 0,
    removed bigint not null default 0,
    rows_checked bigint not null default 0,
    missing bigint not null default 0,
    revived bigint not null default 0,
    walked_to bigint not null default 0
);
insert into asset.round default values;
