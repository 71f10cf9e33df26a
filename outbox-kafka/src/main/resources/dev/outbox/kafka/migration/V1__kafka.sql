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

-- The next offset of each partition that an inbox receives from Kafka, written with the events before it: it moves back in time with them.
CREATE TABLE ${schema}.outbox_inbox_offset (
    consumer_group text COLLATE "C" NOT NULL,
    topic          text COLLATE "C" NOT NULL,
    partition      integer          NOT NULL,
    next_offset    bigint           NOT NULL,
    topic_id       text COLLATE "C",
    stopped_after  bigint,
    CONSTRAINT outbox_inbox_offset_pk PRIMARY KEY (consumer_group, topic, partition)
) WITH (fillfactor = 70);

COMMENT ON COLUMN ${schema}.outbox_inbox_offset.topic_id IS 'Id that Kafka gave to the topic; a topic that is created again has another one';
COMMENT ON COLUMN ${schema}.outbox_inbox_offset.stopped_after IS 'Last id of outbox_operation when the partition stopped, because Kafka no longer has the next records; a later operation resumes it';
