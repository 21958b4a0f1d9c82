-- No blob that a record refers to can be deleted: DESIGN 5. The asset service's table has to be there, and grant this
-- role `references` on it where the two have roles of their own. The name is known to the code, which tells a missing
-- blob from other violations by it; partitions inherit it.
alter table record.asset_use add constraint asset_use_blob_fkey foreign key (blob) references asset.blob;
