package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import java.util.ArrayList;
import java.util.List;

/** Another event bus behind the port. */
final class RecordingEventBus implements EventBus {

    private final List<Message> messages = new ArrayList<>();

    @Override
    public void publish(Message message) {
        messages.add(message);
    }

    List<Message> messages() {
        return messages;
    }
}
