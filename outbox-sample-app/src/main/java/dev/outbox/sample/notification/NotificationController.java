package dev.outbox.sample.notification;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Notifications over HTTP. */
@RestController
final class NotificationController {

    private final NotificationLog messages;

    NotificationController(NotificationLog messages) {
        this.messages = messages;
    }

    @GetMapping("/notifications")
    List<Notification> latest() {
        return messages.latest();
    }
}
