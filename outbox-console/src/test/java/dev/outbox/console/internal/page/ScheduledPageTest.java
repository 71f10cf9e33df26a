package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.ScheduledEvent;
import dev.outbox.operations.ScheduledEvents;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class ScheduledPageTest {

    private final TestConsole console = TestConsole.insecure();
    private final ScheduledEvents scheduled = console.scheduled;

    @Test
    void listsWhatIsDueNextWithEscapedTexts() throws Exception {
        Instant due = Instant.now().plusSeconds(7200);
        when(scheduled.find("order", null, 100)).thenReturn(List.of(event(PageFixture.EVIL, due), event(null, due)));

        MockHttpServletResponse page = console.send(get("/outbox/scheduled?aggregateType=order"));

        assertThat(page.getStatus()).isEqualTo(200);
        assertThat(page.getContentAsString())
                .contains(
                        "PaymentOverdue",
                        "value=\"order\"",
                        "&lt;script&gt;",
                        "in 1 h 59 min",
                        "/outbox/scheduled/deliver")
                .doesNotContain(PageFixture.EVIL);
    }

    @Test
    void saysThatNothingIsScheduled() throws Exception {
        assertThat(console.send(get("/outbox/scheduled")).getContentAsString()).contains("No event is scheduled.");
    }

    @Test
    void deliversAndCancelsWithOperatorAndReason() throws Exception {
        when(scheduled.deliverNow(PageFixture.EVENT, "ann", "asked for")).thenReturn(true);
        when(scheduled.cancel(PageFixture.EVENT, "ann", "asked for")).thenReturn(false);

        assertThat(outcome(change("deliver", "asked for"))).contains("It is due now");
        assertThat(outcome(change("cancel", "asked for"))).contains("Nothing changed: its time had come");
    }

    @Test
    void refusedChangeKeepsItsReasonAndShowsTheList() throws Exception {
        when(scheduled.find(null, null, 100)).thenReturn(List.of(event("overdue", Instant.now())));

        MockHttpServletResponse refused = change("cancel", " ");

        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getContentAsString()).contains("role=\"alert\"", "open", "overdue");
    }

    private String outcome(MockHttpServletResponse changed) throws Exception {
        assertThat(changed.getHeader("Location")).isEqualTo("/outbox/scheduled");
        return console.send(get("/outbox/scheduled").cookie(changed.getCookie("outbox-outcome")))
                .getContentAsString();
    }

    private MockHttpServletResponse change(String action, String reason) throws Exception {
        return console.submit(post("/outbox/scheduled/" + action)
                .param("operator", "ann")
                .param("event", PageFixture.EVENT.toString())
                .param("reason", reason));
    }

    private static ScheduledEvent event(String key, Instant due) {
        return new ScheduledEvent(
                PageFixture.EVENT, "default", "order", PageFixture.EVIL, key, "PaymentOverdue", due, null);
    }
}
