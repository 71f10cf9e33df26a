package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@OutboxTest({Orders.class, Mail.class})
class SchedulingTest {

    @Test
    void advanceMakesScheduledEventsDue(
            @Autowired OutboxTester outbox,
            @Autowired OutboxPublisher publisher,
            @Autowired TransactionOperations transactions) {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("order", "7", new OrderPlaced("7", "lamp")).deliverAfter(Duration.ofHours(2))));

        assertThat(outbox.advance(Duration.ofHours(1)).drain().attempts()).isEmpty();
        assertThat(outbox.advance(Duration.ofHours(1)).drain().attempts()).hasSize(1);
        assertThat(outbox).published(OrderPlaced.class).handledBy("mail");
    }

    @AfterEach
    void emptyTables(@Autowired JdbcClient jdbc) {
        ShopTables.empty(jdbc);
    }
}
