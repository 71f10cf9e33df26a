-- The last sequence received of each aggregate of another service, in each topic, or the last offset in each partition, as
-- topic/partition/topic id, if the records have no sequences; below 0 if none is stored. Its row lock orders the instances that receive the
-- same events.
CREATE TABLE ${schema}.outbox_received (
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    topic          text COLLATE "C" NOT NULL,
    last_seq       bigint           NOT NULL,
    CONSTRAINT outbox_received_pk PRIMARY KEY (aggregate_type, aggregate_id, topic)
) WITH (fillfactor = 70);
