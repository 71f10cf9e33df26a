package dev.outbox.sample.notification;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotNull;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Notifications over HTTP. */
@RestController
final class NotificationController {

    private final NotificationLog messages;
    private final Directory directory;

    NotificationController(NotificationLog messages, Directory directory) {
        this.messages = messages;
        this.directory = directory;
    }

    @GetMapping("/notifications")
    List<Notification> latest() {
        return messages.latest();
    }

    @PutMapping("/mail-addresses/{userId}")
    void setMailAddress(@PathVariable @Name String userId, @Valid @RequestBody SetMailAddress request) {
        directory.setMailAddress(userId, request.address());
    }

    record SetMailAddress(@NotNull @Email String address) {}
}
