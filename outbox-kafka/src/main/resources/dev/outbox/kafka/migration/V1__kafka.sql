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
