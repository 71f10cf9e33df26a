package dev.outbox.test;

/** Records of a test without Kafka. */
interface KafkaRecords extends RecordedMessages {

    void receive(ForwardedRecord record);
}
