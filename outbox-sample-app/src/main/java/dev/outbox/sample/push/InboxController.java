package dev.outbox.sample.push;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Inboxes over HTTP. */
@RestController
final class InboxController {

    private final Inbox inbox;

    InboxController(Inbox inbox) {
        this.inbox = inbox;
    }

    @GetMapping("/inbox/{userId}")
    List<InboxMessage> of(@PathVariable String userId) {
        return inbox.of(userId);
    }
}
