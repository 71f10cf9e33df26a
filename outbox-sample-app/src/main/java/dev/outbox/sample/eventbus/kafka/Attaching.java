package dev.outbox.sample.eventbus.kafka;

import dev.outbox.EventEnvelope;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.sample.eventbus.Attachment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Component;

/** Attaches the rows to the records of the messages that name them, as a header: the payload stays the one that was published. */
@Component
@Primary
@ConditionalOnProperty(name = "sample.transport", havingValue = "kafka")
final class Attaching implements KafkaRecordMapper {

    private final List<Attachment> attachments;

    Attaching(List<Attachment> attachments) {
        this.attachments = attachments;
    }

    @Override
    public ProducerRecord<Object, Object> map(EventEnvelope event, ProducerRecord<Object, Object> proposed) {
        for (Attachment attachment : attachments) {
            if (attachment.messageTypes().contains(event.eventType())) {
                byte[] rows = attachment.read(event.payload()).getBytes(StandardCharsets.UTF_8);
                proposed.headers().remove(Attachment.HEADER).add(Attachment.HEADER, rows);
            }
        }
        return proposed;
    }
}
