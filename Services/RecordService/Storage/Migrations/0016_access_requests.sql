-- Whether users who are not participants may request access.
alter table record.share add column allows_requests boolean not null default false;

-- The users who request access to a share, and those who are blocked from it.
create table record.requester (
    environment int not null,
    zone bigint not null,
    share bigint not null,
    user_name text collate "C" not null,
    -- The verified address of the user; null if there is none, or if the user was blocked without a request.
    email text collate "C",
    is_blocked boolean not null,
    primary key (zone, share, user_name),
    foreign key (zone, share) references record.share on delete cascade
);
-- The requesters of a deleted environment.
create index requester_environment on record.requester (environment);
