-- The id of a participant in answers. Null for participants who were added by an earlier release: their ids contain the
-- numbers of the share and of the participant, and do not change.
alter table record.participant add column uuid uuid;

-- The links of participants who were added without an identity: the first user who accepts such a link is the
-- participant. link: null once the link has been used. The digest then lets the participant, and nobody else, use it again.
create table record.one_time_link (
    environment int not null,
    zone bigint not null,
    share bigint not null,
    participant int not null,
    link text collate "C",
    -- The SHA-256 of the link, by which it is found.
    digest bytea not null unique,
    primary key (zone, share, participant),
    foreign key (zone, share, participant) references record.participant on delete cascade
);
