package dev.outbox.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.docs.Invoices.InvoiceIssued;
import dev.outbox.sample.docs.Invoices.Payment;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The code of the page on publishing does what the page says. */
@SampleTest
class InvoicesTest {

    private static final Instant YESTERDAY = Instant.parse("2026-01-01T12:00:00Z");

    private final Invoices invoices;
    private final TransactionTemplate transactions;

    @Autowired
    InvoicesTest(OutboxPublisher outbox, PlatformTransactionManager transactionManager) {
        this.invoices = new Invoices(outbox);
        this.transactions = new TransactionTemplate(transactionManager);
    }

    @Test
    void countsEventsOfAnAggregate() {
        EventEnvelope issued = inTransaction(() -> invoices.issue("I-1", 4200));
        EventEnvelope reminded = inTransaction(() -> invoices.remind("I-1"));

        assertThat(issued.eventType()).isEqualTo("InvoiceIssued");
        assertThat(issued.sequence()).isEqualTo(1);
        assertThat(reminded.eventType()).isEqualTo("InvoiceReminded");
        assertThat(reminded.schemaVersion()).isEqualTo(2);
        assertThat(reminded.sequence()).isEqualTo(2);
    }

    @Test
    void storesAnEventIdOnce() {
        Payment payment = new Payment(UUID.randomUUID(), "I-2", YESTERDAY);

        EventEnvelope first = inTransaction(() -> invoices.pay(payment));
        EventEnvelope second = inTransaction(() -> invoices.pay(payment));

        assertThat(first.eventId()).isEqualTo(payment.id());
        assertThat(first.occurredAt()).isEqualTo(YESTERDAY);
        assertThat(first.headers()).containsEntry("channel", "bank");
        assertThat(second.id()).isEqualTo(first.id());
    }

    @Test
    void storesABatchInItsOrder() {
        List<EventEnvelope> stored = inTransaction(() -> invoices.issueAll(
                List.of(new InvoiceIssued("I-3", 1), new InvoiceIssued("I-4", 2), new InvoiceIssued("I-3", 3))));

        assertThat(stored).extracting(EventEnvelope::aggregateId).containsExactly("I-3", "I-4", "I-3");
        assertThat(stored).extracting(EventEnvelope::sequence).containsExactly(1L, 1L, 2L);
    }

    @Test
    void withdrawsADeadlineOnce() {
        inTransaction(() -> {
            invoices.awaitPayment("I-6");
            return "scheduled";
        });

        assertThat(inTransaction(() -> invoices.settle("I-6"))).isTrue();
        assertThat(inTransaction(() -> invoices.settle("I-6"))).isFalse();
    }

    @Test
    void refusesToPublishWithoutATransaction() {
        assertThatThrownBy(() -> invoices.issue("I-5", 1))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageContaining("no transaction is active");
    }

    private <T> T inTransaction(Supplier<T> action) {
        return Objects.requireNonNull(transactions.execute((status) -> action.get()));
    }
}
