-- Whether the machine is to start afresh, 1 for yes, and how often it has.
ALTER TABLE machine ADD COLUMN reboot_wanted BIGINT NOT NULL DEFAULT 0;
ALTER TABLE machine ADD COLUMN reboots BIGINT NOT NULL DEFAULT 0;
