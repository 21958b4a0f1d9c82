-- Blobs and their deletion: DESIGN 5. The migrator has made the schema `asset`.

-- One row: which blob store belongs to this database. The store carries the same id, so that a service that was given
-- another folder, or another database, refuses to start instead of taking everything it finds for leftovers.
create table asset.store (
    singleton boolean primary key default true check (singleton),
    id uuid not null default gen_random_uuid()
);
insert into asset.store default values;

-- One row per content and container. The record service's uses refer to `id` by a foreign key (its only privilege here
-- is REFERENCES), so a row that is in use cannot be deleted, whatever anybody believes.
create table asset.blob (
    -- Random, 60 bits: counted ids would come again after a restore, while receipts that name the old ones are good.
    id bigint primary key default
        (('x' || replace(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint & 9223372036854775807),
    container text collate "C" not null,
    sha256 bytea not null check (length(sha256) = 32),
    size bigint not null check (size >= 0),
    -- Part of the stored file's name, never used twice: whoever deleted a row removes that row's file and no other's.
    -- The reconciler asks by it which files have a row.
    generation uuid not null unique,
    -- live: referred to by a record or a receipt, or not yet known to be free. condemned: free, deleted at `due`.
    state text not null default 'live' check (state in ('live', 'condemned')),
    created_at timestamptz not null default now(),
    -- A receipt is a reference that ends by itself: the last one that was given out expires then.
    receipt_until timestamptz not null,
    condemned_at timestamptz,
    due timestamptz,
    check ((state = 'condemned') = (due is not null) and (due is null) = (condemned_at is null)),
    unique (container, sha256)
);
-- Deletion jobs are the condemned rows; the message in the wait queue is only their clock.
create index blob_due on asset.blob (due, id) where state = 'condemned';
