package dev.outbox.sample.notice;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Notices over HTTP. */
@RestController
final class NoticeController {

    private final Notices notices;

    NoticeController(Notices notices) {
        this.notices = notices;
    }

    @PostMapping("/notices")
    @ResponseStatus(HttpStatus.CREATED)
    Published publish(@Valid @RequestBody PublishNotice request) {
        return new Published(notices.publish(request.title(), request.body()));
    }

    record PublishNotice(
            @NotBlank @Size(max = 100) String title,
            @NotBlank @Size(max = 1000) String body) {}

    record Published(UUID id) {}
}
