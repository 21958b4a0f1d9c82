-- Indexes of participants. They have a migration of their own, because 0016 locks record.share, which every read of records
-- needs. Saves of records do not write participants, so they do not wait for these indexes.

-- The pending invitations and the public users of a share, so that accepting, leaving and requesting access read few of
-- its participants.
create index participant_pending on record.participant (zone, share, id) where status = 1;
create index participant_public on record.participant (zone, share) where role = 4 and status = 2;

-- The participants who gained or lost access in a range of changes that the log no longer contains. Their notifications must
-- not be lost, even if the share has changed again since (Tables/Sharing/AudienceTable.swift).
create index participant_gained on record.participant (zone, since_seq, share)
    where role <> 1 and since_seq is not null;
create index participant_lost on record.participant (zone, until_seq, share)
    where role <> 1 and until_seq is not null;
create index participant_lost_before on record.participant (zone, lost_seq, share)
    where role <> 1 and lost_seq is not null;
