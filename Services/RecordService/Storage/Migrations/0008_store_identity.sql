-- Where the store was when tokens were last handed out. Another place than the one noted here may lack acknowledged
-- commits, and the incarnation is renewed (Tokens/StoreWatch.swift). Null: not noted yet.
alter table record.store
    -- The cluster: another one after a dump was restored elsewhere, or after pg_upgrade.
    add column system_identifier bigint,
    -- The timeline: another one after a promotion, and after a restore to a point in time.
    add column timeline bigint,
    -- This table's oid: another one after a dump was restored into the same cluster.
    add column relation oid,
    -- When the incarnation was last renewed.
    add column renewed_at timestamptz;
