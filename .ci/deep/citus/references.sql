-- Foreign keys that reference a user.
alter table public.profiles add foreign key (id) references auth.users on delete cascade;
alter table auth.identities add foreign key (user_id) references auth.users on delete cascade;
alter table auth.sessions add foreign key (user_id) references auth.users on delete cascade;
alter table auth.mfa_factors add foreign key (user_id) references auth.users on delete cascade;
alter table auth.one_time_tokens add foreign key (user_id) references auth.users on delete cascade;
alter table public.impulse_quota add foreign key (user_id) references public.profiles on delete cascade;
alter table public.iap_subscriptions add foreign key (user_id) references public.profiles on delete cascade;
alter table public.impulses add foreign key (user_id) references public.profiles on delete cascade;
alter table public.check_ins add foreign key (user_id) references public.profiles on delete cascade;
alter table public.check_ins add foreign key (user_id, impulse_id) references public.impulses (user_id, id);
analyze;
