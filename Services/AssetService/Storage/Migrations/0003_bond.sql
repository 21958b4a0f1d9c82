-- Which database a store belongs to, walks that end: decisions 131 to 133.

-- home: the cluster and the database by which the store was last adopted; null: nobody has looked yet. A copy of the
-- database has the same id and another home. epoch: raised here and in the store by each adoption, so that a copy of the
-- file system, whose home is the same, is told from the database that has adopted the store since.
alter table asset.store add column home text, add column epoch bigint not null default 1;

-- Where the walks of the sweep go on, each of which looks at a bounded number a round. files_to: null at the beginning;
-- files_began: when the present walk over the files began.
alter table asset.round
    add column candidates_to bigint not null default 0,
    add column condemned_to bigint not null default 0,
    add column files_to text collate "C",
    add column files_began timestamptz not null default now();
