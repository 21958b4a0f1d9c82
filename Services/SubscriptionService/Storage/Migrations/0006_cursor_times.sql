-- When the latest of the changes up to the cursor was made, milliseconds since 1970 by the record service's database; 0: not
-- known. A change with a number up to the cursor that is younger shows that the cursor is ahead of its zone.
alter table subscription.cursor add column delivered_at bigint not null default 0;
