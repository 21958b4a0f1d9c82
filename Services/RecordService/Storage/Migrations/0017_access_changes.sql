-- The participants who gained or lost access in a range of changes that the log no longer contains. Their notifications must
-- not be lost, even if the share has changed again since (Tables/Sharing/AudienceTable.swift).
create index participant_gained on record.participant (zone, since_seq, share)
    where role <> 1 and since_seq is not null;
create index participant_lost on record.participant (zone, until_seq, share)
    where role <> 1 and until_seq is not null;
create index participant_lost_before on record.participant (zone, lost_seq, share)
    where role <> 1 and lost_seq is not null;
