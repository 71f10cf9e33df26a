package dev.outbox.spring.autoconfigure.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.Unmarked;
import dev.outbox.testing.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;

/** Handlers whose payload class is marked. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxedHandlersTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

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

    static class ListeningToUnmarked {

        @EventListener
        @OutboxHandler
        void handle(Unmarked event) {}
    }
}
