package dev.outbox.sample.notification;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Notifications over HTTP. */
@RestController
final class NotificationController {

    private final Notifications notifications;

    NotificationController(Notifications notifications) {
        this.notifications = notifications;
    }

    @GetMapping("/notifications")
    List<Notification> latest() {
        return notifications.latest();
    }
}
