package dev.outbox.test;

import java.util.List;

/** Messages of a test without a broker. Names no type of the broker, which the class path may not have. */
interface RecordedMessages {

    List<ForwardedRecord> forwarded(String destination);

    void clear();
}
