package dev.outbox.spring.autoconfigure.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.spring.autoconfigure.events.Shop.Unmarked;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.event.TransactionalEventListener;

/** Handlers whose payload class is marked. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxedHandlersTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @ParameterizedTest
    @ValueSource(classes = {Mistyped.class, MistypedBatch.class})
    void markThatNamesNoPropertyStopsTheStart(Class<?> handler) {
        Applications.on(database)
                .withBean(handler)
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("@OutboxHandler method")
                        .hasMessageContaining(
                                "takes a class that cannot be published: aggregateId 'oderId' of @Outboxed "
                                        + OrderLost.class.getName() + " names no property"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Listening.class, ListeningAfterCommit.class})
    void handlerThatIsAlsoAListenerStopsTheStart(Class<?> handler) {
        Applications.on(database)
                .withBean(handler)
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining(
                                "is also an @EventListener: Spring calls it when an application publishes OrderPlaced,"
                                        + " and the outbox calls it again; remove one of the annotations"));
    }

    @Test
    void handlerOfAnEventWithoutMarkMayListen() {
        Applications.on(database)
                .withBean(ListeningToUnmarked.class)
                .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void springEventWithoutMarkThatAHandlerTakesIsReportedOnce(CapturedOutput output) {
        Applications.on(database).withBean(Handling.class).run((context) -> {
            context.publishEvent(new Unmarked("7"));
            context.publishEvent(new Unmarked("8"));

            assertThat(output)
                    .containsOnlyOnce("Spring event " + Unmarked.class.getName()
                            + " was not stored, and handler 'handling.handle', which takes it, was not called");
        });
    }

    static class Handling {

        @OutboxHandler(id = "handling.handle")
        void handle(Unmarked event) {}
    }

    static class Mistyped {

        @OutboxHandler
        void handle(OrderLost event) {}
    }

    static class MistypedBatch {

        @OutboxHandler
        void handle(List<OrderLost> events) {}
    }

    static class Listening {

        @EventListener
        @OutboxHandler
        void handle(OrderPlaced event) {}
    }

    static class ListeningAfterCommit {

        @TransactionalEventListener
        @OutboxHandler
        void handle(OrderPlaced event) {}
    }

    static class ListeningToUnmarked {

        @EventListener
        @OutboxHandler
        void handle(Unmarked event) {}
    }

    @Outboxed(aggregateType = "order", aggregateId = "oderId")
    record OrderLost(String orderId) {}
}
