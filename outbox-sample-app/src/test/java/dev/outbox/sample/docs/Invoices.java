package dev.outbox.sample.docs;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.transaction.annotation.Transactional;

/** Publishing in all its forms. */
class Invoices {

    private final OutboxPublisher outbox;

    Invoices(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    record InvoiceIssued(String invoiceId, long cents) {}

    record InvoicePaid(String invoiceId, Instant paidAt) {}

    record PaymentOverdue(String invoiceId) {}

    record Payment(UUID id, String invoiceId, Instant receivedAt) {}

    @Transactional
    EventEnvelope issue(String invoiceId, long cents) {
        return outbox.publish("invoice", invoiceId, new InvoiceIssued(invoiceId, cents));
    }

    @Transactional
    EventEnvelope pay(Payment payment) {
        InvoicePaid paid = new InvoicePaid(payment.invoiceId(), payment.receivedAt());
        return outbox.publish(OutboxEvent.of("invoice", payment.invoiceId(), paid)
                .withEventId(payment.id())
                .occurredAt(payment.receivedAt())
                .withHeader("channel", "bank"));
    }

    @Transactional
    List<EventEnvelope> issueAll(List<InvoiceIssued> invoices) {
        return outbox.publishAll(invoices.stream()
                .map((invoice) -> OutboxEvent.of("invoice", invoice.invoiceId(), invoice))
                .toList());
    }

    @Transactional
    void awaitPayment(String invoiceId) {
        outbox.publish(OutboxEvent.of("invoice", invoiceId, new PaymentOverdue(invoiceId))
                .deliverAfter(Duration.ofDays(14))
                .withKey("payment-overdue"));
    }

    @Transactional
    boolean settle(String invoiceId) {
        return outbox.cancel("invoice", invoiceId, "payment-overdue");
    }

    @Transactional
    EventEnvelope remind(String invoiceId) {
        return outbox.publish(OutboxEvent.of("invoice", invoiceId, Map.of("level", 1))
                .withEventType("InvoiceReminded")
                .withSchemaVersion(2));
    }
}
