-- Moves of records into and out of shares that are too large for one transaction.

-- 0: no such move is pending. 1: records are still to enter shares. 2: records are still to leave shares, so the readers of
-- participants check the parents of the members.
alter table record.zone add column share_moves smallint not null default 0;

-- Records whose share changed, and whose descendants a background job examines. after: the child that was examined last.
create table record.share_move (
    environment int not null,
    zone bigint not null,
    name text collate "C" not null,
    after text collate "C" not null default '',
    primary key (zone, name)
);
