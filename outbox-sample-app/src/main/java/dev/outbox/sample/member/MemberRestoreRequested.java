package dev.outbox.sample.member;

import java.util.List;

/** A member is to get roles back: aggregate {@code member_restore}, with the id of the member. Only this context subscribes to it. */
record MemberRestoreRequested(List<String> roles) {}
