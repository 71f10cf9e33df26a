package dev.outbox.test;

import java.util.List;

/** Records of a test without a broker. Names no type of Kafka, which the class path may not have. */
interface KafkaRecords {

    List<ForwardedRecord> forwarded(String topic);

    void receive(ForwardedRecord record);

    void clear();
}
