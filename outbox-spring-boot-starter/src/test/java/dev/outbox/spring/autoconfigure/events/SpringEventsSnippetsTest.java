package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.CustomerId;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.CustomerMoved;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.Mail;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.Orders;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.ParcelReturned;
import dev.outbox.spring.autoconfigure.events.SpringEventsSnippets.ParcelSent;
import dev.outbox.testing.TestDatabase;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class SpringEventsSnippetsTest {

    private static final UUID ID = UUID.fromString("5c2f6d8e-6a0d-4c53-9d5d-0f1f1b0c7a11");

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void documentedEventsAreStored() {
        Applications.on(database).withBean(Orders.class).withBean(Mail.class).run((context) -> {
            context.getBean(JdbcClient.class)
                    .sql("CREATE TABLE purchase (id text PRIMARY KEY, customer text)")
                    .update();
            context.getBean(Orders.class).place("1", "Kim");
            inTransaction(context, () -> {
                context.publishEvent(new ParcelSent(ID, "DHL"));
                context.publishEvent(new ParcelReturned(ID, "unknown address"));
                context.publishEvent(new CustomerMoved(new CustomerId(ID), "Seoul"));
            });

            assertThat(stored(context))
                    .containsExactly(
                            "OrderPlaced 1 1",
                            "ParcelSent " + ID + " 1",
                            "ParcelReturned " + ID + " 2",
                            "CustomerMoved " + ID + " 1");
        });
    }
}
