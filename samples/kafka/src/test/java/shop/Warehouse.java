package shop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;

/** Another service, which does not use Outbox: it answers each order with a CloudEvent. */
class Warehouse {

    private static final Logger log = LoggerFactory.getLogger(Warehouse.class);

    private final KafkaTemplate<String, String> kafka;

    Warehouse(KafkaTemplate<String, String> kafka) {
        this.kafka = kafka;
    }

    @KafkaListener(topics = "shop.orders", groupId = "warehouse", properties = "auto.offset.reset=earliest")
    void ship(String payload, @Header("ce_type") String type, @Header(KafkaHeaders.RECEIVED_KEY) String orderId) {
        log.info("{}: {}", type, payload);
        String parcel = "P-" + orderId;
        ProducerRecord<String, String> record = new ProducerRecord<>(
                "warehouse.parcels", parcel, "{\"parcel\": \"%s\", \"orderId\": \"%s\"}".formatted(parcel, orderId));
        Map.of(
                        "content-type", "application/json",
                        "ce_specversion", "1.0",
                        "ce_id", UUID.randomUUID().toString(),
                        "ce_source", "/warehouse",
                        "ce_type", "ParcelShipped",
                        "ce_subject", parcel,
                        "ce_aggregatetype", "parcel",
                        "ce_sequence", "1")
                .forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        kafka.send(record);
    }
}
