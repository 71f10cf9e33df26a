package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Snippets of docs/testing.md. */
@OutboxTest({Orders.class, Mail.class})
class MailTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxTester outbox;

    @Test
    void orderIsConfirmed() {
        orders.place("7", "lamp");

        outbox.drain();

        assertThat(outbox)
                .published(OrderPlaced.class)
                .forAggregate("order", "7")
                .handledBy("mail");
    }

    @Test
    void confirmationIsRetried() {
        outbox.failNext("mail", new IllegalStateException("no connection"));
        orders.place("7", "lamp");

        outbox.drain();
        assertThat(outbox).published(OrderPlaced.class).isRetrying().withError("no connection");

        outbox.advance(Duration.ofMinutes(1)).drain();
        assertThat(outbox).published(OrderPlaced.class).handledBy("mail");
    }

    @Test
    void confirmationThatAlwaysFailsIsDead() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            outbox.failNext("mail", new IllegalStateException("no connection"));
        }
        orders.place("7", "lamp");

        outbox.drain();
        while (outbox.advance(Duration.ofHours(1)).drain().retried() > 0) {
            assertThat(outbox).published(OrderPlaced.class).isRetrying();
        }

        assertThat(outbox).published(OrderPlaced.class).isDead().afterAttempts(3);
    }

    @Test
    void confirmationIsSentOnce() {
        orders.place("7", "lamp");
        outbox.drain();

        outbox.verifyIdempotent("mail");
    }

    @AfterEach
    void emptyTables(@Autowired JdbcClient jdbc) {
        ShopTables.empty(jdbc);
    }
}
