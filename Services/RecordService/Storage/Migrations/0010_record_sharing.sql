-- share: the number of the share, which is that of the change that began it; its root, everything below, and the record
-- of the share itself. share_seq: the last change, or the moment of entering the share; share_since: that moment. A
-- tombstone keeps them. All are null where nothing is shared, so that no row is rewritten here.
-- linked: whether record.link contains the identifier in the record's link. A record that is deleted and created again
-- begins without a link.
alter table record.record add column share bigint, add column share_seq bigint, add column share_since bigint,
    add column linked boolean;

-- The records of a share in the order of a participant's feed. The tables of existing environments get theirs by a job,
-- without a lock on writers.
create index record_shared on only record.record (environment, zone, share, share_seq, name) where share is not null;
insert into record.job (kind, arguments)
select 'sharing.index', jsonb_build_object('environment', id) from record.environment;
